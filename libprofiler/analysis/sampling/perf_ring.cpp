#include <linux/perf_event.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <analysis/sampling/perf_ring.hpp>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

namespace roofmark::sampling {

int PerfRing::open(Descriptor event, std::size_t data_bytes) {
  event_ = std::move(event);
  page_bytes_ = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  data_bytes_ = data_bytes;
  void* const memory =
      mmap(nullptr, page_bytes_ + data_bytes_, PROT_READ | PROT_WRITE, MAP_SHARED, event_.get(), 0);
  if (memory == MAP_FAILED) return errno;
  memory_ = static_cast<std::byte*>(memory);
  return 0;
}

PerfRing::PerfRing(PerfRing&& other) noexcept
    : event_(std::move(other.event_)),
      memory_(std::exchange(other.memory_, nullptr)),
      page_bytes_(other.page_bytes_),
      data_bytes_(other.data_bytes_) {}

PerfRing::~PerfRing() {
  if (memory_ != nullptr) munmap(memory_, page_bytes_ + data_bytes_);
}

void PerfRing::drain(const std::function<void(const std::byte*, std::size_t)>& take) {
  if (memory_ == nullptr) return;
  auto* const page = reinterpret_cast<perf_event_mmap_page*>(memory_);
  const std::byte* const data = memory_ + page_bytes_;
  const std::uint64_t head =
      std::atomic_ref<__u64>(page->data_head).load(std::memory_order_acquire);
  std::uint64_t tail = page->data_tail;
  std::vector<std::byte> whole;
  while (tail < head) {
    perf_event_header header;
    const std::size_t at = tail % data_bytes_;
    // Records are multiples of 8 bytes: a header never wraps.
    std::memcpy(&header, data + at, sizeof header);
    if (header.size < sizeof header) break;
    const std::size_t first = std::min<std::size_t>(header.size, data_bytes_ - at);
    if (first == header.size) {
      take(data + at, first);
    } else {
      whole.resize(header.size);
      std::memcpy(whole.data(), data + at, first);
      std::memcpy(whole.data() + first, data, header.size - first);
      take(whole.data(), whole.size());
    }
    tail += header.size;
  }
  std::atomic_ref<__u64>(page->data_tail).store(head, std::memory_order_release);
}

}  // namespace roofmark::sampling

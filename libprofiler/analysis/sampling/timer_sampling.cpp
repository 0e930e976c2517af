#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <analysis/files/descriptor.hpp>
#include <analysis/sampling/proc_maps.hpp>
#include <analysis/sampling/timer_sampling.hpp>
#include <atomic>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstring>
#include <fstream>
#include <utility>

namespace roofmark::sampling {
namespace {

constexpr std::uint64_t timer_ring_bytes =
    arena::timer_ring_header_bytes + arena::timer_ring_capacity * sizeof(arena::TimerSample);

const arena::TimerSample& sample_at(const arena::TimerRing* ring, std::uint64_t number) {
  const auto* first = reinterpret_cast<const std::byte*>(ring) + arena::timer_ring_header_bytes;
  return reinterpret_cast<const arena::TimerSample*>(first)[number % arena::timer_ring_capacity];
}

template <class T>
T load(const T& word) {
  return std::atomic_ref<T>(const_cast<T&>(word)).load(std::memory_order_acquire);
}

}  // namespace

Result<TimerSampling> TimerSampling::begin(const std::filesystem::path& directory) {
  const std::filesystem::path path = directory / arena::timer_control_name;
  const auto failed = [&](const char* what) {
    return tl::unexpected(Problem{fmt::format("{}: {}", what, std::strerror(errno)), path.string(),
                                  "set TMPDIR to a writable directory on a local disk"});
  };
  const Descriptor file(open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!file) return failed("the sampler's file can't be made");
  if (const int error = posix_fallocate(file.get(), 0, sizeof(arena::TimerControl)); error != 0) {
    errno = error;
    return failed("there is no room for the sampler's file");
  }
  void* const mapped =
      mmap(nullptr, sizeof(arena::TimerControl), PROT_READ | PROT_WRITE, MAP_SHARED, file.get(), 0);
  if (mapped == MAP_FAILED) return failed("the sampler's file can't be mapped");
  TimerSampling sampling;
  sampling.directory_ = directory;
  sampling.control_ = static_cast<arena::TimerControl*>(mapped);
  sampling.control_->period_ns = static_cast<std::uint64_t>(std::llround(timer_period_s * 1e9));
  sampling.control_->magic = arena::timer_control_magic;
  return sampling;
}

TimerSampling::TimerSampling(TimerSampling&& other) noexcept
    : directory_(std::move(other.directory_)),
      control_(std::exchange(other.control_, nullptr)),
      rings_(std::exchange(other.rings_, {})),
      keys_(other.keys_),
      spaces_(std::move(other.spaces_)),
      store_(std::move(other.store_)),
      calls_(std::move(other.calls_)),
      lost_(other.lost_),
      processes_(other.processes_),
      in_use_(other.in_use_),
      refused_(other.refused_),
      blocked_(other.blocked_),
      error_(other.error_),
      seen_s_(other.seen_s_) {}

TimerSampling::~TimerSampling() {
  if (control_ == nullptr) return;
  std::atomic_ref<std::uint32_t>(control_->stop).store(1, std::memory_order_relaxed);
  for (auto& [name, ring] : rings_) munmap(ring.header, timer_ring_bytes);
  munmap(control_, sizeof(arena::TimerControl));
}

void TimerSampling::open_ring(const std::filesystem::path& path) {
  const Descriptor file(open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW));
  struct stat status {};
  if (!file || fstat(file.get(), &status) != 0 ||
      status.st_size < static_cast<off_t>(timer_ring_bytes))
    return;  // just being made
  void* const mapped =
      mmap(nullptr, timer_ring_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file.get(), 0);
  if (mapped == MAP_FAILED) return;
  auto* const header = static_cast<arena::TimerRing*>(mapped);
  if (load(header->magic) != arena::timer_ring_magic ||
      header->capacity != arena::timer_ring_capacity) {
    munmap(mapped, timer_ring_bytes);
    return;
  }
  Ring ring;
  ring.header = header;
  ring.stem = path;
  ring.stem.replace_extension();
  ring.key = ++keys_;
  ring.process = header->pid;
  ++processes_;
  rings_.emplace(path.filename().string(), ring);
}

void TimerSampling::find_rings() {
  std::error_code error;
  std::filesystem::directory_iterator entries(directory_, error), end;
  for (; !error && entries != end; entries.increment(error)) {
    const std::filesystem::path& path = entries->path();
    if (path.extension() == arena::timer_ring_suffix && !rings_.contains(path.filename().string()))
      open_ring(path);
  }
}

void TimerSampling::read_maps(const std::filesystem::path& file, std::int32_t key) {
  std::ifstream maps(file);
  add_mappings(maps, key, spaces_);
}

void TimerSampling::add(Ring& ring, const arena::TimerSample& sample, bool last) {
  const double period_s = sample.periods * timer_period_s;
  auto place = spaces_.find_mapped(ring.key, sample.address);
  if (!place && !std::exchange(ring.looked, true)) {
    // Loaded since then.
    read_maps(last ? ring.stem.string() + arena::timer_maps_suffix
                   : "/proc/" + std::to_string(ring.process) + "/maps",
              ring.key);
    place = spaces_.find_mapped(ring.key, sample.address);
  }
  seen_s_ += period_s;
  if (!place) {
    ++lost_;
    return;
  }
  if (calls_.returns_to(spaces_.objects()[place->object], place->offset)) return;
  if (store_.add({place->object, sample.thread, place->offset,
                  static_cast<double>(sample.time_ns) * 1e-9, period_s}))
    std::atomic_ref<std::uint32_t>(control_->thinning).fetch_add(1, std::memory_order_relaxed);
}

void TimerSampling::read_ring(Ring& ring, bool last) {
  arena::TimerRing* const header = ring.header;
  if (!ring.mapped) read_maps(ring.stem.string() + arena::timer_maps_suffix, ring.key);
  ring.mapped = true;
  ring.looked = false;
  const std::uint64_t head = load(header->head);
  // The program can write there: what it left is taken for no more than there is room for.
  const std::uint64_t oldest = head - std::min<std::uint64_t>(head, arena::timer_ring_capacity);
  for (std::uint64_t tail = std::max(load(header->tail), oldest); tail < head; ++tail) {
    const arena::TimerSample& sample = sample_at(header, tail);
    if (load(sample.number) == tail + 1)
      add(ring, sample, last);
    else if (last)
      ++lost_;  // its thread was ended in the middle of it
    else
      break;  // it is being written
    std::atomic_ref<std::uint64_t>(header->tail).store(tail + 1, std::memory_order_release);
  }
}

bool TimerSampling::is_over(const Ring& ring) const {
  if (kill(ring.process, 0) != 0 && errno == ESRCH) return true;
  // It became another program, or its number is another's.
  for (const auto& [name, other] : rings_)
    if (other.process == ring.process && other.header->created_ns > ring.header->created_ns)
      return true;
  return false;
}

void TimerSampling::close_ring(Ring& ring) {
  read_ring(ring, true);
  lost_ += load(ring.header->lost);
  const std::uint32_t why = load(ring.header->refusals);
  in_use_ += (why & arena::timer_in_use) != 0 ? 1 : 0;
  blocked_ += (why & arena::timer_blocked) != 0 ? 1 : 0;
  refused_ += (why & arena::timer_refused) != 0 ? 1 : 0;
  if (const int error = load(ring.header->error); error != 0) error_ = error;
  munmap(ring.header, timer_ring_bytes);
  spaces_.ended(ring.key);
  for (const char* suffix : {arena::timer_ring_suffix, arena::timer_maps_suffix}) {
    std::error_code ignored;
    std::filesystem::remove(ring.stem.string() + suffix, ignored);
  }
}

void TimerSampling::drain() {
  find_rings();
  for (auto it = rings_.begin(); it != rings_.end();) {
    if (is_over(it->second)) {
      close_ring(it->second);
      it = rings_.erase(it);
    } else {
      read_ring(it->second, false);
      ++it;
    }
  }
}

std::vector<std::string> TimerSampling::notes(double cpu_s) const {
  std::vector<std::string> made;
  if (in_use_ != 0)
    made.push_back(
        fmt::format("{} of {} processes use SIGPROF themselves, so their functions were "
                    "not sampled from then on.",
                    in_use_, processes_));
  if (refused_ != 0)
    made.push_back(
        fmt::format("Threads of {} of {} processes could have no timer ({}): they were "
                    "not sampled.",
                    refused_, processes_, std::strerror(error_)));
  if (blocked_ != 0)
    made.push_back(
        fmt::format("{} of {} processes have threads that began with SIGPROF blocked: "
                    "these were not sampled.",
                    blocked_, processes_));
  constexpr double told_below = 0.8;
  if (seen_s_ < told_below * cpu_s)
    made.push_back(fmt::format(
        "The samples stand for {:.2g} s of {:.2g} s of processor time: threads that block SIGPROF, "
        "static programs, and processes that last less than a tick of the kernel's clock are not "
        "seen by timers. Shares are those of what was seen.",
        seen_s_, cpu_s));
  return made;
}

Result<SampledRun> TimerSampling::take(double cpu_s) {
  std::atomic_ref<std::uint32_t>(control_->stop).store(1, std::memory_order_relaxed);
  find_rings();
  for (auto& [name, ring] : rings_) {
    // What still runs goes on without being sampled.
    if (!is_over(ring)) read_ring(ring, false);
    close_ring(ring);
  }
  rings_.clear();
  if (processes_ == 0)
    return tl::unexpected(Problem{
        "no process of it could load the sampler (a static program, or one that gains rights)", "",
        ""});
  SampledRun run;
  run.means = "timer";
  run.objects = spaces_.objects();
  run.samples = store_.take();
  run.lost = lost_;
  run.shortest_period_s = timer_period_s;
  run.notes = notes(cpu_s);
  return run;
}

}  // namespace roofmark::sampling

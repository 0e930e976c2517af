#include <linux/perf_event.h>

#include <algorithm>
#include <analysis/sampling/perf_records.hpp>
#include <cstring>

namespace roofmark::sampling {
namespace {

/// Reads a record's fields one after another; past its end: zeros.
class Fields {
 public:
  Fields(const std::byte* data, std::size_t bytes) : at_(data), end_(data + bytes) {}

  template <class T>
  T next() {
    T value{};
    if (static_cast<std::size_t>(end_ - at_) >= sizeof value) {
      std::memcpy(&value, at_, sizeof value);
      at_ += sizeof value;
    } else {
      at_ = end_;
    }
    return value;
  }
  void skip(std::size_t bytes) { at_ += std::min(bytes, static_cast<std::size_t>(end_ - at_)); }
  std::string text() {
    const std::byte* const start = at_;
    const std::byte* const stop = std::find(at_, end_, std::byte{0});
    at_ = stop;
    return {reinterpret_cast<const char*>(start), static_cast<std::size_t>(stop - start)};
  }

 private:
  const std::byte* at_;
  const std::byte* end_;
};

/// Behind every record that is no sample: process and thread, and the time.
constexpr std::size_t trailer_bytes = 16;

}  // namespace

std::uint64_t sample_fields() {
  return PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_PERIOD;
}

void PerfRecords::add(const std::byte* data, std::size_t bytes) {
  perf_event_header header;
  if (bytes < sizeof header) return;
  std::memcpy(&header, data, sizeof header);
  Record record;
  if (header.type == PERF_RECORD_SAMPLE) {
    Fields fields(data + sizeof header, bytes - sizeof header);
    record.address = fields.next<std::uint64_t>();
    record.process = fields.next<std::int32_t>();
    record.thread = fields.next<std::int32_t>();
    record.time_ns = fields.next<std::uint64_t>();
    record.period_ns = fields.next<std::uint64_t>();
    record.in_kernel = (header.misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_KERNEL;
  } else {
    if (bytes < sizeof header + trailer_bytes) return;
    Fields trailer(data + bytes - 8, 8);
    record.time_ns = trailer.next<std::uint64_t>();
    record.bytes.assign(data, data + bytes);
  }
  latest_ns_ = std::max(latest_ns_, record.time_ns);
  waiting_.push_back(std::move(record));
}

bool PerfRecords::settle(bool all) {
  std::stable_sort(waiting_.begin(), waiting_.end(),
                   [](const Record& a, const Record& b) { return a.time_ns < b.time_ns; });
  std::size_t done = 0;
  bool full = false;
  for (; done < waiting_.size() && (all || waiting_[done].time_ns <= latest_before_ns_); ++done)
    full = apply(waiting_[done]) || full;
  waiting_.erase(waiting_.begin(), waiting_.begin() + static_cast<std::ptrdiff_t>(done));
  latest_before_ns_ = latest_ns_;
  return full;
}

bool PerfRecords::apply(const Record& record) {
  if (record.bytes.empty()) {
    if (record.period_ns == 0) return false;
    const Place place = record.in_kernel ? Place{spaces_.object(kernel_object), 0}
                                         : spaces_.find(record.process, record.address);
    return store_.add({place.object, record.thread, place.offset,
                       static_cast<double>(record.time_ns) * 1e-9,
                       static_cast<double>(record.period_ns) * 1e-9});
  }
  perf_event_header header;
  std::memcpy(&header, record.bytes.data(), sizeof header);
  Fields fields(record.bytes.data() + sizeof header,
                record.bytes.size() - sizeof header - trailer_bytes);
  switch (header.type) {
    case PERF_RECORD_MMAP2: {
      const auto process = fields.next<std::int32_t>();
      fields.next<std::int32_t>();
      const auto start = fields.next<std::uint64_t>();
      const auto length = fields.next<std::uint64_t>();
      const auto offset = fields.next<std::uint64_t>();
      fields.skip(24 + 8);  // device, inode, generation; protection and flags
      spaces_.map(process, start, length, offset, fields.text());
      break;
    }
    case PERF_RECORD_COMM:
      if ((header.misc & PERF_RECORD_MISC_COMM_EXEC) != 0)
        spaces_.replaced(fields.next<std::int32_t>());
      break;
    case PERF_RECORD_FORK: {
      const auto process = fields.next<std::int32_t>();
      spaces_.forked(fields.next<std::int32_t>(), process);
      break;
    }
    case PERF_RECORD_EXIT: {
      const auto process = fields.next<std::int32_t>();
      fields.next<std::int32_t>();
      if (fields.next<std::int32_t>() == process) spaces_.ended(process);
      break;
    }
    case PERF_RECORD_LOST:
      fields.next<std::uint64_t>();
      lost_ += fields.next<std::uint64_t>();
      break;
    default:
      break;
  }
  return false;
}

}  // namespace roofmark::sampling

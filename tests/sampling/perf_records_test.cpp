#include <linux/perf_event.h>

#include <analysis/sampling/perf_records.hpp>
#include <cstring>
#include <string>

#include "catch.hpp"

using namespace roofmark::sampling;

namespace {

class Bytes {
 public:
  Bytes(std::uint32_t type, std::uint16_t misc) {
    const perf_event_header header{type, misc, 0};
    put(header);
  }
  template <class T>
  Bytes& put(const T& value) {
    const auto* bytes = reinterpret_cast<const std::byte*>(&value);
    bytes_.insert(bytes_.end(), bytes, bytes + sizeof value);
    return *this;
  }
  Bytes& text(std::string value) {
    value.resize((value.size() + 8) / 8 * 8, '\0');
    for (const char c : value) bytes_.push_back(static_cast<std::byte>(c));
    return *this;
  }
  /// What stands behind every record that is no sample.
  Bytes& behind(std::int32_t pid, std::uint64_t time_ns) { return put(pid).put(pid).put(time_ns); }
  void to(PerfRecords& records) {
    const auto size = static_cast<std::uint16_t>(bytes_.size());
    std::memcpy(bytes_.data() + offsetof(perf_event_header, size), &size, sizeof size);
    records.add(bytes_.data(), bytes_.size());
  }

 private:
  std::vector<std::byte> bytes_;
};

void map(PerfRecords& records, std::int32_t pid, std::uint64_t start, const std::string& file,
         std::uint64_t time_ns) {
  Bytes(PERF_RECORD_MMAP2, 0)
      .put(pid)
      .put(pid)
      .put(start)
      .put(std::uint64_t{0x1000})
      .put(std::uint64_t{0})
      .put(std::array<std::uint64_t, 4>{})
      .text(file)
      .behind(pid, time_ns)
      .to(records);
}

void sample(PerfRecords& records, std::int32_t pid, std::uint64_t address, std::uint64_t time_ns,
            std::uint16_t mode = PERF_RECORD_MISC_USER) {
  Bytes(PERF_RECORD_SAMPLE, mode)
      .put(address)
      .put(pid)
      .put(pid)
      .put(time_ns)
      .put(std::uint64_t{1000000})
      .to(records);
}

std::vector<std::string> objects_of(PerfRecords& records) {
  std::vector<std::string> names;
  for (const TimeSample& each : records.store().take())
    names.push_back(records.spaces().objects()[each.object]);
  return names;
}

}  // namespace

TEST_CASE("records of several rings are taken in the order of their times") {
  PerfRecords records;
  sample(records, 5, 0x1010, 30);  // another processor's ring was drained first
  map(records, 5, 0x1000, "/bin/before", 10);
  map(records, 5, 0x1000, "/bin/after", 40);
  sample(records, 5, 0x1010, 20);
  records.settle();
  CHECK(records.store().size() == 0);  // something earlier may still come
  sample(records, 5, 0x1010, 50);
  records.settle();
  CHECK(records.store().size() == 2);
  records.settle(true);
  CHECK(objects_of(records) ==
        std::vector<std::string>{"/bin/before", "/bin/before", "/bin/after"});
}

TEST_CASE("processes are followed through fork and exec, and the kernel is one object") {
  PerfRecords records;
  map(records, 5, 0x1000, "/bin/parent", 1);
  Bytes(PERF_RECORD_FORK, 0)
      .put(std::int32_t{6})
      .put(std::int32_t{5})
      .put(std::int32_t{6})
      .put(std::int32_t{5})
      .put(std::uint64_t{2})
      .behind(6, 2)
      .to(records);
  sample(records, 6, 0x1010, 3);
  Bytes(PERF_RECORD_COMM, PERF_RECORD_MISC_COMM_EXEC)
      .put(std::int32_t{6})
      .put(std::int32_t{6})
      .text("child")
      .behind(6, 4)
      .to(records);
  map(records, 6, 0x1000, "/bin/child", 5);
  sample(records, 6, 0x1010, 6);
  sample(records, 5, 0x1010, 7);
  sample(records, 5, 0xffffffff81000000, 8, PERF_RECORD_MISC_KERNEL);
  Bytes(PERF_RECORD_LOST, 0).put(std::uint64_t{1}).put(std::uint64_t{17}).behind(5, 9).to(records);
  records.settle(true);
  CHECK(objects_of(records) ==
        std::vector<std::string>{"/bin/parent", "/bin/child", "/bin/parent", "[kernel]"});
  CHECK(records.lost() == 17);
}

TEST_CASE("bytes that are no whole record do no harm") {
  PerfRecords records;
  const std::array<std::byte, 9> few{};
  for (std::size_t size = 0; size <= few.size(); ++size) records.add(few.data(), size);
  for (std::uint32_t type = 0; type < 20; ++type) Bytes(type, 0).put(std::uint64_t{5}).to(records);
  for (std::uint32_t type = 0; type < 20; ++type)
    Bytes(type, 0).put(std::uint64_t{5}).put(std::uint64_t{5}).to(records);
  records.settle(true);
  CHECK(records.store().size() == 0);
}

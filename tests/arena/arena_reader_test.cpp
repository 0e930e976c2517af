// The reader against files that it wasn't promised: cut short, torn, damaged, hostile.
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <random>

#include "catch.hpp"
#include "libprofiler/analysis/profile/arena_reader.hpp"
#include "libprofiler/arena/layout.h"

namespace fs = std::filesystem;
namespace arena = roofmark::arena;

namespace {

// A recording as the runtime would write it: main thread, solve (closed twice), solve/spmv (open).
class Recording {
 public:
  Recording() : bytes_(header_bytes + segment_bytes, '\0') {
    auto& header = at<arena::FileHeader>(0);
    header.magic = arena::file_magic;
    header.version = arena::layout_version;
    header.byte_order = arena::byte_order_mark;
    header.header_bytes = header_bytes;
    header.pid = 42;
    header.host_bytes = 4;
    std::memcpy(header.host, "host", 4);
    header.calibration = {1000, 0, 3001000, 1000000, 2, arena::Clock::tsc};
    auto& segment = at<arena::SegmentHeader>(header_bytes);
    segment.magic = arena::segment_magic;
    segment.bytes = segment_bytes;
    segment.used = sizeof segment;

    thread = add<arena::Thread>(arena::ItemKind::thread);
    at<arena::Thread>(thread).flags = arena::thread_main;
    at<arena::Thread>(thread).tid = 42;
    at<arena::Thread>(thread).cpus[1] = 2;
    const auto solve_name = name("solve"), spmv_name = name("spmv");
    histogram = add<arena::Histogram>(arena::ItemKind::histogram);
    at<arena::Histogram>(histogram).counts[10] = 2;
    solve = record(solve_name, 0);
    auto& closed = at<arena::Record>(solve);
    closed.entry = closed.closing = 300;
    closed.last_exit = 400;
    closed.sum_ticks = 150;
    closed.min_ticks = 50;
    closed.max_ticks = 100;
    closed.sum_of_squares = 12500;
    closed.histogram = histogram;
    spmv = record(spmv_name, solve);
    at<arena::Record>(spmv).entry = 500;
    at<arena::Record>(spmv).min_ticks = ~std::uint64_t{0};
  }

  template <class T>
  T& at(std::uint64_t offset) {
    return *reinterpret_cast<T*>(bytes_.data() + offset);
  }
  std::uint64_t record(std::uint64_t name, std::uint64_t parent) {
    const auto offset = add<arena::Record>(arena::ItemKind::record);
    auto& record = at<arena::Record>(offset);
    record.name = name;
    record.parent = parent;
    record.thread = thread;
    return offset;
  }
  std::string& bytes() { return bytes_; }

  std::uint64_t thread = 0, solve = 0, spmv = 0, histogram = 0;
  static constexpr std::uint64_t header_bytes = 4096, segment_bytes = 65536;

 private:
  template <class T>
  std::uint64_t add(arena::ItemKind kind) {
    auto& segment = at<arena::SegmentHeader>(header_bytes);
    const std::uint64_t offset = header_bytes + segment.used;
    at<arena::ItemHeader>(offset) = {kind, sizeof(T)};
    segment.used += sizeof(T);
    return offset;
  }
  std::uint64_t name(const char* text) {
    const auto offset = add<arena::Name>(arena::ItemKind::name);
    auto& item = at<arena::Name>(offset);
    item.length = static_cast<std::uint32_t>(std::strlen(text));
    std::memcpy(item.bytes, text, item.length);
    return offset;
  }

  std::string bytes_;
};

class File {
 public:
  explicit File(const std::string& bytes)
      : path_(
            (fs::temp_directory_path() / ("roofmark-arena-" + std::to_string(getpid()))).string()) {
    std::ofstream(path_, std::ios::binary).write(bytes.data(), static_cast<long>(bytes.size()));
  }
  ~File() { std::remove(path_.c_str()); }
  roofmark::Result<roofmark::RawProcess> read() const { return roofmark::read_arena(path_); }

 private:
  std::string path_;
};

std::string reason(const std::string& bytes) {
  const auto process = File(bytes).read();
  return process ? "" : process.error().reason;
}

}  // namespace

TEST_CASE("a whole recording") {
  Recording recording;
  const auto process = File(recording.bytes()).read();
  REQUIRE(process);
  REQUIRE(process->damage.empty());
  REQUIRE(process->host == "host");
  REQUIRE(process->pid == 42);
  REQUIRE(process->ticks_per_second() == Approx(3e9));
  REQUIRE(process->threads.size() == 1);
  const auto& thread = process->threads.front();
  REQUIRE(thread.cpus == std::vector<unsigned>{65});
  REQUIRE(thread.nodes.size() == 2);
  REQUIRE(thread.path(1) == std::vector<std::string>{"solve", "spmv"});
  REQUIRE(thread.nodes[0].visits == 2);
  REQUIRE(thread.nodes[0].min_ticks == 50);
  REQUIRE_FALSE(thread.nodes[0].open_since);
  REQUIRE_FALSE(thread.nodes[0].torn);
  REQUIRE(thread.nodes[1].open_since == 500);
  REQUIRE(thread.nodes[1].min_ticks == 0);
  REQUIRE(thread.descendant_visits(0) == 1);
}

TEST_CASE("a record caught in the middle of a change is torn, and only that one") {
  Recording closing;
  closing.at<arena::Record>(closing.spmv).closing = 500;
  auto process = File(closing.bytes()).read();
  REQUIRE(process->threads[0].nodes[1].torn);
  REQUIRE_FALSE(process->threads[0].nodes[0].torn);
  Recording declaring;
  declaring.at<arena::Record>(declaring.solve).sequence = 3;
  process = File(declaring.bytes()).read();
  REQUIRE(process->threads[0].nodes[0].torn);
  REQUIRE_FALSE(process->threads[0].nodes[1].torn);
}

TEST_CASE("what is no recording is one clear problem") {
  REQUIRE(roofmark::read_arena("/nonexistent").error().reason == "No such file or directory");
  REQUIRE(reason("") == "shorter than the header of a recording");
  REQUIRE(reason(std::string(100000, 'x')) == "no recording of Roofmark");
  Recording other;
  other.at<arena::FileHeader>(0).version = 7;
  REQUIRE(reason(other.bytes()) == "layout version 7 instead of 1");
  Recording foreign;
  foreign.at<arena::FileHeader>(0).byte_order = 0x04030201;
  REQUIRE(reason(foreign.bytes()) == "recorded on a machine of another byte order");
  Recording huge;
  huge.at<arena::FileHeader>(0).header_bytes = 0xffffffc0;
  const auto process = File(huge.bytes()).read();
  REQUIRE(process);  // the header is read, nothing else is found
  REQUIRE(process->threads.empty());
}

TEST_CASE("a file that ends early yields what is before its end, and says so") {
  Recording recording;
  const auto whole = recording.bytes();
  const auto process = File(whole.substr(0, recording.spmv)).read();
  REQUIRE(process);
  REQUIRE(process->threads.at(0).nodes.size() == 1);
  REQUIRE(process->damage.size() == 1);
  for (std::size_t size = 0; size < whole.size(); size += 61) {
    const auto cut = File(whole.substr(0, size)).read();
    if (cut && size < whole.size()) REQUIRE((!cut->damage.empty() || cut->threads.empty()));
  }
}

TEST_CASE("references to nowhere and in circles") {
  Recording circle;
  circle.at<arena::Record>(circle.solve).parent = circle.spmv;
  auto process = File(circle.bytes()).read();
  REQUIRE(process->threads.at(0).nodes.empty());
  REQUIRE(process->damage ==
          std::vector<std::string>{"2 regions have lost the region around them"});

  Recording nowhere;
  nowhere.at<arena::Record>(nowhere.solve).name = ~std::uint64_t{0};
  nowhere.at<arena::Record>(nowhere.solve).histogram = 64;
  nowhere.at<arena::Record>(nowhere.spmv).thread = 4096;
  process = File(nowhere.bytes()).read();
  REQUIRE(process->threads.at(0).nodes.size() == 1);
  REQUIRE(process->damage.size() == 2);

  Recording itself;
  itself.at<arena::Record>(itself.spmv).parent = itself.spmv;
  process = File(itself.bytes()).read();
  REQUIRE(process->threads.at(0).nodes.size() == 1);
}

TEST_CASE("numbers that are none do not get through") {
  Recording recording;
  auto& record = recording.at<arena::Record>(recording.solve);
  record.sum_of_squares = std::numeric_limits<double>::quiet_NaN();
  record.declared_flop = std::numeric_limits<double>::infinity();
  const auto process = File(recording.bytes()).read();
  REQUIRE(process->threads.at(0).nodes[0].sum_of_squares == 0);
  REQUIRE(process->threads.at(0).nodes[0].declared_flop == 0);
  REQUIRE(process->threads.at(0).nodes[0].torn);
}

TEST_CASE("damaged at random: no crash, and every answer is whole") {
  std::mt19937 random(20240607);
  for (int round = 0; round < 3000; ++round) {
    Recording recording;
    auto& bytes = recording.bytes();
    const std::size_t used = 4096 + 8192;
    for (unsigned i = 0; i < 1 + random() % 8; ++i) {
      const std::size_t where = random() % used;
      if (random() % 2 == 0)
        bytes[where] = static_cast<char>(random());
      else
        recording.at<std::uint64_t>(where & ~std::size_t{7}) = ~std::uint64_t{0} >> (random() % 64);
    }
    const auto process = File(bytes).read();
    if (!process) {
      REQUIRE_FALSE(process.error().reason.empty());
      continue;
    }
    for (const auto& thread : process->threads)
      for (std::size_t i = 0; i < thread.nodes.size(); ++i) {
        const auto parent = thread.nodes[i].parent;
        REQUIRE((parent == roofmark::RawNode::no_parent || parent < i));
        (void)thread.path(i);
      }
    (void)process->ticks_per_second();
  }
}

// The reader against files that it wasn't promised: cut short, torn, damaged, hostile.
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <random>

#include "catch.hpp"
#include "libprofiler/analysis/arena/arena_reader.hpp"
#include "libprofiler/arena/layout.h"
#include "recording_image.hpp"

namespace fs = std::filesystem;
namespace arena = roofmark::arena;

namespace {

using Recording = roofmark::test::RecordingImage;

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
  REQUIRE(reason(other.bytes()) ==
          "layout version 7 instead of " + std::to_string(arena::layout_version));
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

TEST_CASE("the visit that was closed last counts, where there was one") {
  for (const std::uint64_t latest : {arena::no_bucket, arena::no_bucket + 1, ~std::uint64_t{0}}) {
    Recording recording;
    recording.at<arena::Histogram>(recording.histogram).latest = latest;
    // What stands behind the buckets is no visit.
    recording.at<arena::Histogram>(recording.histogram).counts[arena::no_bucket] = 7;
    const auto process = File(recording.bytes()).read();
    REQUIRE(process->threads.at(0).nodes.at(0).visits == 1);
  }
  Recording both;
  both.at<arena::Histogram>(both.histogram).latest = arena::histogram_buckets - 1;
  const auto process = File(both.bytes()).read();
  const roofmark::RawNode& solve = process->threads.at(0).nodes.at(0);
  REQUIRE(solve.visits == 2);
  REQUIRE(solve.histogram.counts.at(10) == 1);
  REQUIRE(solve.histogram.counts.back() == 1);
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

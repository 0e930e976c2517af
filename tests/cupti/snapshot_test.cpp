// What the plug-in writes is what the analysis reads, and the file that it lies in.
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <limits>
#include <sstream>

#include "catch.hpp"
#include "collectors/cupti/results.hpp"
#include "collectors/cupti/target/results_file.hpp"
#include "collectors/cupti/target/snapshot.hpp"

using namespace roofmark::cupti;
namespace fs = std::filesystem;

namespace {

struct Directory {
  fs::path path;
  Directory() {
    std::string name = (fs::temp_directory_path() / "roofmark-snapshot-XXXXXX").string();
    path = mkdtemp(name.data());
  }
  ~Directory() { fs::remove_all(path); }
  Directory(const Directory&) = delete;
  Directory& operator=(const Directory&) = delete;
};

std::string content(const fs::path& file) {
  std::ostringstream text;
  text << std::ifstream(file, std::ios::binary).rdbuf();
  return text.str();
}

}  // namespace

TEST_CASE("a snapshot is read back as it was, with names of any bytes") {
  std::string odd;
  for (int byte = 0; byte < 256; ++byte) odd += static_cast<char>(byte);
  Snapshot s;
  s.host = "h";
  s.exe = odd;
  s.pid = 12;
  s.begin_ns = -1;  // no clock has it
  s.cupti_version = 130001;
  s.paths = {{}, {"outer"}, {"outer", odd}};
  DeviceRow device;
  device.uuid = "GPU-1";
  device.chip = "GH100";
  s.devices = {device};
  KernelRow kernel;
  kernel.name = odd;
  kernel.path = 2;
  kernel.launches = 2;
  kernel.sum_ns = 30;
  kernel.min_ns = 10;
  kernel.max_ns = 20;
  kernel.last_ns = std::numeric_limits<std::int64_t>::max();
  s.kernels = {kernel};
  s.launches = {{0, 1, 2, 3, 4, 5, 6, 7}, {0, 1, 2, std::nullopt, 4, 5, 6, 7}};
  s.busy = {{0, 0, 30, 0, 40, true}};
  CopyRow copy;
  copy.kind = CopyKind::set;
  copy.count = 1;
  s.copies = {copy};
  s.host_calls = {{1, 2, 3, 4, 5}};
  s.problems = {{"call", "name", odd + "x", "fix", 35, 0, 3}, {"", "own", "why", "", -1, {}, 1}};
  s.totals = {1, 2, 3, 4, 5};
  s.end = ResultsEnd::exit;
  const Directory here;
  std::ofstream(here.path / "gpu-12-0.jsonl", std::ios::binary) << to_text(s);
  const auto read = read_results(here.path / "gpu-12-0.jsonl");
  REQUIRE(read);
  CHECK(read->exe == odd);
  CHECK(read->begin_s == 0);
  REQUIRE(read->kernels.size() == 1);
  CHECK(read->kernels[0].name == odd);
  CHECK(read->kernels[0].path == LaunchPath{"outer", odd});
  CHECK(read->launches.size() == 2);
  CHECK(read->copies.at(0).kind == CopyKind::set);
  REQUIRE(read->problems.size() == 2);
  CHECK(read->problems[0].reason == odd + "x");
  CHECK(read->problems[0].code == 35);
  CHECK(read->problems[0].device == "GPU-1");
  CHECK(read->problems[1].device.empty());
  CHECK(read->ranges_dropped == 5);
  CHECK(read->end == ResultsEnd::exit);

  Snapshot counts = s;
  counts.kind = RunKind::counters;
  counts.set = "hw";
  counts.kernels.clear();
  counts.launches.clear();
  counts.busy.clear();
  counts.copies.clear();
  counts.host_calls.clear();
  const std::map<std::string, double> values = {{"large", 1.7976931348623157e308},
                                                {"small", 5e-324},
                                                {"third", 1.0 / 3},
                                                {"whole", 9007199254740993.0}};
  counts.ranges = {{"k", 0, 1, 7, values, {"lacking"}}};
  counts.ranges[0].metrics["none"] = std::numeric_limits<double>::quiet_NaN();
  std::ofstream(here.path / "gpu-12-1.jsonl", std::ios::binary) << to_text(counts);
  const auto again = read_results(here.path / "gpu-12-1.jsonl");
  REQUIRE(again);
  REQUIRE(again->ranges.size() == 1);
  CHECK(again->ranges[0].metrics == values);
}

TEST_CASE("each image of a process has a file of its own") {
  const Directory here;
  ResultsFile first, second;
  REQUIRE(first.claim(here.path, 5));
  REQUIRE(second.claim(here.path, 5));
  CHECK(first.sequence() == 0);
  CHECK(second.sequence() == 1);
  REQUIRE(first.replace("one"));
  REQUIRE(first.replace("two"));
  CHECK(content(here.path / "gpu-5-0.jsonl") == "two");
  CHECK_FALSE(fs::exists(here.path / "gpu-5-0.jsonl.new"));
  ResultsFile third, nowhere;
  REQUIRE(third.claim(here.path, 5));
  CHECK(third.sequence() == 2);
  CHECK_FALSE(nowhere.claim(here.path / "absent", 5));
  CHECK_FALSE(nowhere.replace("text"));
}

TEST_CASE("a limit on the size of files leaves the old results and ends nothing") {
  const Directory here;
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    const rlimit limit{1000, 1000};
    setrlimit(RLIMIT_FSIZE, &limit);
    ResultsFile file;
    bool good = file.claim(here.path, 6) && file.replace("small");
    good = good && !file.replace(std::string(100000, 'x'));
    // The signal was taken away, and is as it was.
    sigset_t pending, mask;
    sigpending(&pending);
    pthread_sigmask(SIG_SETMASK, nullptr, &mask);
    good = good && sigismember(&pending, SIGXFSZ) == 0 && sigismember(&mask, SIGXFSZ) == 0;
    _exit(good && file.replace("again") ? 0 : 1);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(status == 0);
  CHECK(content(here.path / "gpu-6-0.jsonl") == "again");
}

// The target never suffers: full disks, limits, no place to write.
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "catch.hpp"
#include "recorded.hpp"
#include "tests/support/small_disk.hpp"

namespace {

void limit(__rlimit_resource which, rlim_t value) {
  rlimit now{};
  getrlimit(which, &now);
  now.rlim_cur = value;
  setrlimit(which, &now);
}

std::uint64_t all_visits(const Recorded& run) {
  std::uint64_t visits = 0;
  for (const auto& node : run.processes.front().threads.front().nodes) visits += node.visits;
  return visits;
}

}  // namespace

TEST_CASE("ulimit -f: no SIGXFSZ, what does not fit is in (other)") {
  RunOptions options;
  options.before_exec = [] { limit(RLIMIT_FSIZE, 400 * 1024); };
  const Recorded run = record("runtime_target", "many names", options);
  REQUIRE(run.exit_status == 0);
  REQUIRE(run.processes.size() == 1);
  REQUIRE(run.processes.front().truncated);
  REQUIRE(run.processes.front().truncated_reason == "File too large");
  REQUIRE(total(run, "(other)").visits > 100000);
  REQUIRE(all_visits(run) == 200000);  // nothing is lost, only its name
  REQUIRE(run.bytes <= 400 * 1024);
}

TEST_CASE("ulimit -f 0: the program runs, nothing is recorded, nothing is left behind") {
  RunOptions options;
  options.before_exec = [] { limit(RLIMIT_FSIZE, 0); };
  const Recorded run = record("runtime_target", "nested", options);
  REQUIRE(run.exit_status == 0);
  REQUIRE(run.processes.empty());
  REQUIRE(run.problems.empty());
  REQUIRE(run.bytes == 0);
}

TEST_CASE("ulimit -v: the program runs") {
  RunOptions options;
  options.before_exec = [] { limit(RLIMIT_AS, rlim_t{40} * 1024 * 1024); };
  const Recorded run = record("runtime_target", "many names", options);
  REQUIRE(run.exit_status == 0);
  REQUIRE(run.processes.size() == 1);
  REQUIRE(all_visits(run) == 200000);
  REQUIRE(run.processes.front().truncated);
}

TEST_CASE("a full tmpfs: no SIGBUS, what does not fit is in (other)") {
  TemporaryDirectory mounted, copies;
  const std::string copy = copies.path + "/copy.arena";
  RunOptions options;
  options.directory = mounted.path;
  // The mount is seen only by the program: it is run by a shell that copies the recording out.
  options.before_exec = [&] {
    if (!roofmark::test::mount_small_disk(mounted.path, "size=512k")) _exit(77);
    const std::string run = std::string(RUNTIME_TARGETS) + "/runtime_target 'many names'; s=$?; " +
                            "unset LD_PRELOAD; cp " + mounted.path + "/*.arena " + copy +
                            "; exit $s";
    execl("/bin/sh", "sh", "-c", run.c_str(), static_cast<char*>(nullptr));
    _exit(127);
  };
  const Recorded run = record("runtime_target", "", options);
  if (run.exit_status == 77) {
    WARN("no tmpfs may be mounted here");
    return;
  }
  REQUIRE(run.exit_status == 0);
  const auto process = roofmark::read_arena(copy);
  REQUIRE(process);
  REQUIRE(process->truncated);
  REQUIRE(process->truncated_reason == "No space left on device");
  std::uint64_t visits = 0;
  for (const auto& node : process->threads.front().nodes) visits += node.visits;
  REQUIRE(visits == 200000);
}

TEST_CASE("no directory, one that can't be written, a relative one: the program runs") {
  for (const std::string directory : {"/nonexistent/roofmark", "/proc", "relative"}) {
    RunOptions options;
    options.directory = directory;
    const Recorded run = record("runtime_target", "nested", options);
    REQUIRE(run.exit_status == 0);
    REQUIRE(run.processes.empty());
  }
}

TEST_CASE("more threads than there is room for: their visits are counted as lost") {
  RunOptions options;
  options.before_exec = [] { limit(RLIMIT_FSIZE, 4096 + 3 * 65536); };
  const Recorded run = record("runtime_target", "live threads", options);
  REQUIRE(run.exit_status == 0);
  REQUIRE(run.processes.front().truncated);
  REQUIRE(run.processes.front().lost_visits > 0);
}

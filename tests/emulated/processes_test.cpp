// Ends, forks, threads and bad nesting under the emulator.
#include <sys/wait.h>
#include <csignal>

#include "catch.hpp"
#include "counted_run.hpp"

using namespace counted;
using Path = std::vector<std::string>;

namespace {

Run mode(const std::string& name, const std::string& argument = "") {
  std::vector<std::string> target{program("processes"), name};
  if (!argument.empty()) target.push_back(argument);
  Run r = run(target, flop_only());
  REQUIRE(r.counts.problems.empty());
  return r;
}

}  // namespace

TEST_CASE("a forked child has a file of its own work below the region that was open") {
  const Run r = mode("fork");
  REQUIRE(WEXITSTATUS(r.wait_status) == 3);
  REQUIRE(r.counts.processes.size() == 2);
  const auto& parent = r.counts.processes[0];
  const auto& child = r.counts.processes[1];
  REQUIRE(child.ppid == parent.pid);
  REQUIRE(child.context == Path{"outer"});
  REQUIRE(sum(r, {"outer"}).flop == 110);
  REQUIRE(sum(r, {"outer"}).visits == 1);
  REQUIRE(sum(r, {"outer", "child"}).flop == 1000);
}

TEST_CASE("exec overwrites nothing, and one that fails loses nothing") {
  const Run r = mode("exec");
  REQUIRE(WEXITSTATUS(r.wait_status) == 4);
  REQUIRE(r.counts.processes.size() == 2);
  REQUIRE(r.counts.processes[0].pid == r.counts.processes[1].pid);
  REQUIRE(r.counts.processes[0].end == roofmark::CountsEnd::exec);
  REQUIRE(sum(r, {"before"}).flop == 100);
  REQUIRE(sum(r, {"failed"}).flop == 50);
  REQUIRE(sum(r, {"after"}).flop == 7);
}

TEST_CASE("a program that executes its own file again is counted before and after") {
  const std::string how = GENERATE("self exe", "self number", "self at");
  CAPTURE(how);
  const Run r = mode(how);
  REQUIRE(WEXITSTATUS(r.wait_status) == 4);
  REQUIRE(r.counts.processes.size() == 2);
  REQUIRE(r.counts.processes[0].exe == r.counts.processes[1].exe);
  REQUIRE(sum(r, {"before"}).flop == 100);
  REQUIRE(sum(r, {"after"}).flop == 7);
}

TEST_CASE("counts survive every end that the process brings about itself") {
  const std::string how = GENERATE("_exit", "kill", "abort");
  CAPTURE(how);
  const Run r = mode(how);
  if (how == "_exit") REQUIRE(WEXITSTATUS(r.wait_status) == 5);
  if (how == "kill") REQUIRE(WTERMSIG(r.wait_status) == SIGKILL);
  if (how == "abort") REQUIRE(WTERMSIG(r.wait_status) == SIGABRT);
  REQUIRE(sum(r, {"closed"}).flop == 100);
  REQUIRE(sum(r, {"open"}).flop == 20);
  REQUIRE(sum(r, {"open"}).has("unclosed"));
  REQUIRE_FALSE(sum(r, {"closed"}).has("unclosed"));
}

TEST_CASE("a process that is killed from outside leaves its last snapshot") {
  auto options = flop_only();
  options.snapshot_s = 0.2;
  const Run r = run({"/usr/bin/timeout", "-s", "KILL", "4", program("processes"), "hang"}, options);
  const Sum hang = sum(r, {"hang"});
  REQUIRE(hang.flop == 1000);
  REQUIRE(sum(r, {"endless"}).flop >= 1000);
  bool snapshot = false;
  for (const auto& p : r.counts.processes)
    snapshot = snapshot || p.end == roofmark::CountsEnd::snapshot;
  REQUIRE(snapshot);
}

TEST_CASE("recursion is a path that grows") {
  const Run r = mode("recursion");
  Path path;
  for (int depth = 0; depth < 5; ++depth) {
    path.emplace_back("r");
    REQUIRE(sum(r, path).flop == 10);
    REQUIRE(sum(r, path).visits == 1);
  }
}

TEST_CASE("bad nesting is flagged and costs nobody else his counts") {
  const Run r = mode("mismatched");
  REQUIRE(sum(r, {"a", "b"}).flop == 10);
  REQUIRE(sum(r, {"a", "b"}).has("mismatched"));
  REQUIRE(sum(r, {}).flop == 1);
  REQUIRE(sum(r, {}).has("mismatched"));
  REQUIRE(sum(r, {"c"}).flop == 100);
  REQUIRE(sum(r, {"c"}).flags.empty());
}

TEST_CASE("a jump out of a region is put right by the next end") {
  const Run r = mode("siglongjmp");
  REQUIRE(sum(r, {"outer", "inner"}).flop == 10);
  REQUIRE(sum(r, {"outer", "inner"}).has("mismatched"));
  REQUIRE(sum(r, {"next"}).flop == 5);
}

TEST_CASE("a thread's work and regions belong to its creator's region") {
  const Run r = mode("thread");
  REQUIRE(sum(r, {"main"}).flop == 300);
  REQUIRE(sum(r, {"main", "t"}).flop == 200);
  REQUIRE_FALSE(sum(r, {"main", "t"}).has("adopted"));
  const Run detached = mode("detached");
  REQUIRE(sum(detached, {"t"}).flop == 200);
  REQUIRE(sum(detached, {"main", "t"}).rows == 0);
}

TEST_CASE("a region closed on another thread is closed, and flagged") {
  const Run r = mode("foreign");
  REQUIRE(sum(r, {"handed over"}).has("mismatched"));
  REQUIRE(sum(r, {"next"}).flop == 5);
}

TEST_CASE("many short threads share rows: memory and file stay bounded") {
  const Run r = mode("threads");
  const Sum s = sum(r, {"short"});
  REQUIRE(s.visits == 3000);
  REQUIRE(s.flop == 3000);
  REQUIRE(s.rows < 300);
}

TEST_CASE("names are bytes") {
  const Run r = mode("names");
  REQUIRE(sum(r, {std::string("quote\" </script> \xff\n\0end", 23)}).visits == 1);
}

TEST_CASE("declared work is summed where it was declared") {
  const Run r = mode("declare");
  const auto& regions = r.counts.processes.at(0).regions;
  for (const auto& region : regions) {
    if (region.path == Path{"outer"}) REQUIRE(region.declared_flop == 1u);
    if (region.path == Path{"outer", "inner"}) REQUIRE(region.declared_bytes == 20u);
  }
}

TEST_CASE("10,000 regions are exact and need bounded memory") {
  const auto memory_kib = [](const Run& r) {
    const auto at = r.output.find_first_of("0123456789");
    REQUIRE(at != std::string::npos);
    return std::stol(r.output.substr(at));
  };
  const Run few = mode("regions", "10");
  const Run many = mode("regions", "10000");
  for (const long i : {0L, 4711L, 9999L}) {
    const Sum s = sum(many, {"region " + std::to_string(i)});
    REQUIRE(s.visits == 2);
    REQUIRE(s.flop == 6);
  }
  const long more_kib = memory_kib(many) - memory_kib(few);
  CAPTURE(more_kib);
  REQUIRE(more_kib < 64 * 1024);
}

TEST_CASE("what can't be kept is one region below the root, apart from one of its name") {
  const Run r = run({program("names")}, flop_only());
  REQUIRE(r.wait_status == 0);
  REQUIRE(r.counts.processes.size() == 1);
  std::vector<std::vector<std::string>> paths;
  for (const auto& region : r.counts.processes[0].regions) {
    if (region.path.empty()) continue;
    paths.push_back(region.path);
    const bool ours =
        std::find(region.flags.begin(), region.flags.end(), "truncated") != region.flags.end();
    if (region.path == std::vector<std::string>{"(other)"}) CHECK(region.visits == (ours ? 1 : 2));
    if (ours) {
      CHECK(region.path == std::vector<std::string>{"(other)"});
      REQUIRE(region.mix.size() == 1);
      CHECK(region.mix[0].flop == 2);
    }
  }
  std::sort(paths.begin(), paths.end());
  CHECK(paths == std::vector<std::vector<std::string>>{
                     {"(other)"}, {"(other)"}, {"(other)", "inside"}, {"solve"}});
}

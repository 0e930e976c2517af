#include <analysis/record/call_tree.hpp>
#include <catch.hpp>
#include <map>
#include <string>

using namespace roofmark;

namespace {

constexpr std::uint64_t top = 0x7fff0000;

CallFacts facts() {
  CallFacts made;
  made.names = {"outer", "inner", "other"};
  made.left_out = {false, false, false};
  made.executable = "/bin/x";
  made.cost_s = 4e-6;
  made.inner_cost_s = 2e-6;
  return made;
}
CallEvent enter(std::uint64_t time, std::size_t function, std::uint64_t stack, int thread = 7) {
  return {7, thread, time, stack, function, false};
}
CallEvent leave(std::uint64_t time, std::size_t function, std::uint64_t stack, int thread = 7) {
  return {7, thread, time, stack + 8, function, true};
}

/// "outer/inner": its node, of one thread.
std::map<std::string, RawNode> nodes_of(const RawThread& thread) {
  std::map<std::string, RawNode> nodes;
  for (std::size_t i = 0; i < thread.nodes.size(); ++i) {
    std::string path;
    for (const std::string& name : thread.path(i)) path += (path.empty() ? "" : "/") + name;
    nodes[path] = thread.nodes[i];
  }
  return nodes;
}

}  // namespace

TEST_CASE("entries and returns nest, whatever order they come in") {
  const auto processes =
      tree_of_calls({leave(90, 0, top), enter(10, 0, top), leave(40, 1, top - 32),
                     enter(50, 1, top - 32), enter(20, 1, top - 32), leave(60, 1, top - 32)},
                    {}, facts());
  REQUIRE(processes.size() == 1);
  CHECK(processes[0].marker_ticks == 4000);
  REQUIRE(processes[0].threads.size() == 1);
  CHECK(processes[0].threads[0].main);
  const auto nodes = nodes_of(processes[0].threads[0]);
  CHECK(nodes.size() == 2);
  CHECK(nodes.at("outer").visits == 1);
  CHECK(nodes.at("outer").sum_ticks == 80);
  CHECK(nodes.at("outer/inner").visits == 2);
  CHECK(nodes.at("outer/inner").sum_ticks == 30);
  CHECK(nodes.at("outer/inner").min_ticks == 10);
  CHECK(nodes.at("outer/inner").max_ticks == 20);
  CHECK_FALSE(nodes.at("outer").mismatched);
}

TEST_CASE("calls that a jump left end where the next thing above them is seen, and are flagged") {
  const auto processes =
      tree_of_calls({enter(10, 0, top), enter(20, 1, top - 32), enter(30, 1, top - 64),
                     enter(50, 2, top - 16), leave(60, 2, top - 16), leave(70, 0, top)},
                    {}, facts());
  const auto nodes = nodes_of(processes.at(0).threads.at(0));
  CHECK(nodes.at("outer/inner").mismatched);
  CHECK(nodes.at("outer/inner").sum_ticks == 30);
  CHECK(nodes.at("outer/other").visits == 1);
  CHECK_FALSE(nodes.at("outer").mismatched);
}

TEST_CASE("a last act ends what did it") {
  const auto processes = tree_of_calls(
      {enter(10, 0, top), enter(30, 1, top), leave(50, 1, top), leave(51, 0, top)}, {}, facts());
  const auto nodes = nodes_of(processes.at(0).threads.at(0));
  CHECK(nodes.at("outer").sum_ticks == 20);
  CHECK(nodes.at("inner").sum_ticks == 20);
  CHECK_FALSE(nodes.at("outer").mismatched);
}

TEST_CASE("a loop back to a function's first instruction is no call") {
  const auto processes = tree_of_calls({enter(10, 0, top), enter(20, 0, top), enter(30, 0, top),
                                        leave(40, 0, top), leave(41, 0, top), leave(42, 0, top)},
                                       {}, facts());
  const auto nodes = nodes_of(processes.at(0).threads.at(0));
  CHECK(nodes.size() == 1);
  CHECK(nodes.at("outer").visits == 1);
  CHECK(nodes.at("outer").sum_ticks == 30);
}

TEST_CASE("threads hang below what was open where they were made") {
  const auto processes = tree_of_calls(
      {enter(10, 0, top), enter(30, 1, 0x1000, 8), leave(40, 1, 0x1000, 8), leave(90, 0, top)},
      {{7, 8, 7, 7, 20}}, facts());
  REQUIRE(processes.at(0).threads.size() == 2);
  const auto nodes = nodes_of(processes[0].threads[1]);
  CHECK(nodes.at("outer/inner").visits == 1);
  CHECK(nodes.at("outer").visits == 0);
  CHECK(processes[0].threads[1].creator_tid == 7);
}

TEST_CASE("what is open at the end, and functions that are left out") {
  CallFacts without = facts();
  without.left_out[1] = true;
  const auto processes = tree_of_calls(
      {enter(10, 0, top), enter(20, 1, top - 32), enter(30, 2, top - 64), leave(40, 2, top - 64)},
      {}, without);
  const auto nodes = nodes_of(processes.at(0).threads.at(0));
  CHECK(nodes.at("outer").open_since == 10);
  CHECK(nodes.at("outer/other").visits == 1);
  CHECK(nodes.size() == 2);
  CHECK(tree_of_calls({}, {}, facts()).empty());
}

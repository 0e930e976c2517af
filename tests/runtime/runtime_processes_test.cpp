#include "catch.hpp"
#include "recorded.hpp"

namespace {

const roofmark::RawProcess* child_of(const Recorded& run, int parent) {
  for (const auto& process : run.processes)
    if (process.parent_pid == parent) return &process;
  return nullptr;
}

}  // namespace

TEST_CASE("killed inside a region: what was closed is kept, what was open is seen as open") {
  const Recorded run = record("runtime_target", "killed");
  REQUIRE(run.exit_status == 128 + 9);
  REQUIRE(run.processes.size() == 1);
  REQUIRE_FALSE(run.processes.front().ended);
  REQUIRE(total(run, "closed").visits == 100);
  REQUIRE(total(run, "open|closed").visits == 100);
  REQUIRE(total(run, "open").visits == 0);
  REQUIRE(total(run, "open").open);
  REQUIRE_FALSE(total(run, "closed").open);
  REQUIRE(run.processes.front().calibration.last_raw_ns >
          run.processes.front().calibration.first_raw_ns);
}

TEST_CASE("_exit and exit with open regions") {
  const Recorded quick = record("runtime_target", "ends by _exit");
  REQUIRE(quick.exit_status == 3);
  REQUIRE(quick.processes.front().ended);  // the moment is noted
  REQUIRE(total(quick, "open").open);
  REQUIRE(total(quick, "open|closed").visits == 100);
  const Recorded slow = record("runtime_target", "ends by exit");
  REQUIRE(slow.exit_status == 4);
  REQUIRE(slow.processes.front().ended);
  REQUIRE(total(slow, "open").open);
}

TEST_CASE("annotated handlers of fork neither hang nor harm") {
  const Recorded run = record("runtime_target", "fork handlers");
  REQUIRE(run.exit_status == 0);
  REQUIRE(total(run, "parent|handler").visits >= 3);
}

TEST_CASE("fork: each process its own work, with the open path as context") {
  const Recorded run = record("runtime_target", "forks");
  REQUIRE(run.exit_status == 0);
  REQUIRE(run.processes.size() == 3);
  const auto& parent = run.processes.front();
  REQUIRE_FALSE(parent.parent_pid);
  REQUIRE(total(parent, "parent").visits == 1);
  REQUIRE(total(parent, "parent|closed").visits == 200);
  REQUIRE_FALSE(total(parent, "parent|in child").found);

  const auto* child = child_of(run, parent.pid);
  REQUIRE(child != nullptr);
  REQUIRE(child->context == std::vector<std::string>{"parent"});
  REQUIRE(total(*child, "parent").inherited);
  REQUIRE(total(*child, "parent").visits == 0);  // the entry was the parent's
  REQUIRE(total(*child, "parent").ticks > 0);
  REQUIRE(total(*child, "parent").ticks < total(parent, "parent").ticks);
  REQUIRE_FALSE(total(*child, "parent").open);
  REQUIRE(total(*child, "parent|in child").visits == 7);
  REQUIRE_FALSE(total(*child, "parent|closed").found);

  const auto* grandchild = child_of(run, child->pid);
  REQUIRE(grandchild != nullptr);
  REQUIRE(grandchild->context == std::vector<std::string>{"parent"});
  REQUIRE(total(*grandchild, "parent|in grandchild").visits == 1);
  REQUIRE_FALSE(total(*grandchild, "parent|in child").found);
}

TEST_CASE(
    "a visit that a fork handler ends in the child: one file, and the child's region is in it") {
  const Recorded run = record("runtime_target_c", "visit around fork");
  REQUIRE(run.exit_status == 0);
  REQUIRE(run.processes.size() == 2);
  REQUIRE(total(run.processes.front(), "parent|fork").visits == 4);
  const auto* child = child_of(run, run.processes.front().pid);
  REQUIRE(child != nullptr);
  REQUIRE(child->context == std::vector<std::string>{"parent", "fork"});
  REQUIRE(total(*child, "parent|in child").visits == 1);
}

TEST_CASE("fork in a thread: the child's path is the thread's") {
  const Recorded run = record("runtime_target", "fork in thread");
  REQUIRE(run.exit_status == 0);
  REQUIRE(run.processes.size() == 2);
  const auto* child = child_of(run, run.processes.front().pid);
  REQUIRE(child != nullptr);
  REQUIRE(child->context == std::vector<std::string>{"main", "thread"});
  REQUIRE(total(*child, "main|thread|in child").visits == 1);
  REQUIRE(total(*child, "main|thread|its thread").visits == 1);
  REQUIRE(total(run.processes.front(), "main|thread").visits == 1);
}

TEST_CASE("a raw clone is noticed without any handler") {
  const Recorded run = record("runtime_target", "raw clone");
  REQUIRE(run.exit_status == 0);
  REQUIRE(run.processes.size() == 2);
  const auto* child = child_of(run, run.processes.front().pid);
  REQUIRE(child != nullptr);
  REQUIRE(child->context == std::vector<std::string>{"parent"});
  REQUIRE(total(*child, "parent|in child").visits == 1);
  REQUIRE_FALSE(total(run.processes.front(), "parent|in child").found);
  REQUIRE(total(run.processes.front(), "parent").visits == 1);
}

TEST_CASE("a fork while another thread makes the recording") {
  for (const std::string way : {"fork", "raw clone"}) {
    INFO(way);
    const Recorded run = record("runtime_target", way + " while connecting");
    REQUIRE(run.exit_status == 0);
    REQUIRE(run.processes.size() == 2);
    int with_child = 0;
    for (const auto& process : run.processes) {
      const bool is_child = total(process, "in child").found;
      with_child += is_child ? 1 : 0;
      REQUIRE(total(process, is_child ? "in child" : "after").visits == (is_child ? 2 : 1));
    }
    REQUIRE(with_child == 1);
  }
}

TEST_CASE("becoming a child: what the runtime calls there may be annotated") {
  const Recorded run = record("runtime_target", "annotated getpid");
  REQUIRE(run.exit_status == 0);
  REQUIRE(run.processes.size() == 2);
  const auto* child = child_of(run, run.processes.front().pid);
  REQUIRE(child != nullptr);
  REQUIRE(child->context == std::vector<std::string>{"parent"});
  REQUIRE(total(*child, "parent|in child").visits == 1);
}

TEST_CASE("a vfork child does not write, and its parent goes on where it was") {
  const Recorded run = record("runtime_target", "vforks");
  REQUIRE(run.exit_status == 0);
  REQUIRE(run.processes.size() == 1);
  REQUIRE_FALSE(total(run, "parent|in child").found);
  REQUIRE(total(run, "parent|after").visits == 3);
  REQUIRE(total(run, "parent").visits == 1);
  REQUIRE(run.processes.front().stale_exits == 0);
}

TEST_CASE("exec: a file for each image") {
  const Recorded run = record("runtime_target", "execs");
  REQUIRE(run.exit_status == 4);
  REQUIRE(run.processes.size() == 2);
  REQUIRE(run.processes[0].pid == run.processes[1].pid);
  REQUIRE(run.processes[0].sequence == 0);
  REQUIRE(run.processes[1].sequence == 1);
  REQUIRE(total(run.processes[0], "before exec").open);
  REQUIRE(total(run.processes[0], "before exec|closed").visits == 100);
  REQUIRE(total(run.processes[1], "open|closed").visits == 100);
}

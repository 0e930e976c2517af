// Which memory and which hardware threads are measured, on machines that nobody here owns; and the
// measuring itself, on this machine under a description that makes one out of its parts.
#include "analysis/machine/placement.hpp"

#include <algorithm>
#include <set>

#include "analysis/machine/calibrate.hpp"
#include "analysis/machine/cpu_quota.hpp"
#include "analysis/machine/kernel.hpp"
#include "analysis/machine/measure_placement.hpp"
#include "analysis/machine/memory_nodes.hpp"
#include "analysis/machine/plan.hpp"
#include "catch.hpp"
#include "layouts.hpp"

using namespace roofmark;
using test::recorded;
using test::synthetic;

namespace {

using Numbers = std::vector<unsigned>;

/// "HBM core 0@1": kind, scope, threads and the nodes of their memory.
std::string text_of(const Placement& p) {
  const auto list = [](const Numbers& numbers) {
    std::string text;
    for (const unsigned number : numbers)
      text += (text.empty() ? "" : ",") + std::to_string(number);
    return text;
  };
  return (p.name.empty() ? "" : p.name + " ") + p.level + " " + p.scope + " " + list(p.cpus) +
         (p.nodes.empty() ? "" : "@" + list(p.nodes));
}

std::vector<std::string> texts_of(const MachineLayout& layout) {
  std::vector<std::string> texts;
  for (const Placement& placement : placements_of(layout)) texts.push_back(text_of(placement));
  return texts;
}

using Texts = std::vector<std::string>;

}  // namespace

TEST_CASE("one node and one hardware thread a core: nothing stands beside the scopes") {
  CHECK(texts_of(synthetic("pack:1 numa:1 l3:1 l2:4 l1d:1 core:1 pu:1")).empty());
  CHECK(texts_of(synthetic("pack:1 core:2 pu:1")).empty());
}

TEST_CASE("HBM beside DRAM: each core on its own socket's, and DRAM of the other socket apart") {
  const MachineLayout layout = recorded("hbm.xml");
  CHECK(texts_of(layout) == Texts{"HBM core 0@1", "HBM machine 0,2,4,6,8,10,12,14@1,1,1,1,3,3,3,3",
                                  "HBM llc 0,2,4,6@1,1,1,1", "remote DRAM core 0@2",
                                  "remote DRAM numa 0,2,4,6@2,2,2,2", "smt DRAM core 0,1"});
  CHECK(home_node(layout, 0)->os_index == 0);
  CHECK(home_node(layout, 8)->os_index == 2);
}

TEST_CASE("a process that may use the second socket alone measures that one's memory") {
  // hwloc keeps the other socket's nodes: memory there is remote, its HBM no core's nearest.
  CHECK(texts_of(recorded("hbm.xml", Numbers{8, 10})) ==
        Texts{"HBM core 8@3", "HBM machine 8,10@3,3", "remote DRAM core 8@0",
              "remote DRAM numa 8,10@0,0"});
}

TEST_CASE("two sockets of DRAM: a core and its node, from the other node") {
  CHECK(texts_of(synthetic("pack:2 numa:1 l3:1 l2:4 l1d:1 core:1 pu:1")) ==
        Texts{"remote DRAM core 0@1", "remote DRAM numa 0,1,2,3@1,1,1,1"});
}

TEST_CASE("the nearest other node is the one that firmware says is least far") {
  MachineLayout layout = synthetic("pack:2 numa:2 l3:1 l2:2 l1d:1 core:1 pu:1");
  CHECK(texts_of(layout).front() == "remote DRAM core 0@1");
  layout.memory[0].distances = {{0, 10}, {1, 32}, {2, 21}, {3, 32}};
  CHECK(texts_of(layout).front() == "remote DRAM core 0@2");
}

TEST_CASE("firmware's distances are read") {
  const MachineLayout layout = recorded("distances.xml");
  REQUIRE(layout.memory.size() == 4);
  CHECK(layout.memory[0].distances ==
        std::map<unsigned, double>{{0, 10}, {1, 32}, {2, 21}, {3, 32}});
  CHECK(texts_of(layout).front() == "remote DRAM core 0@2");
}

TEST_CASE("memory without cores of its own is taken from the nearest core's side") {
  MachineLayout layout = synthetic("pack:2 numa:1 l2:2 l1d:1 core:1 pu:1");
  layout.memory[0].distances = {{0, 10}, {1, 21}, {2, 40}, {3, 24}};
  layout.memory[1].distances = {{0, 21}, {1, 10}, {2, 24}, {3, 40}};
  layout.memory.push_back({2, "HBM", 1U << 30, {}, {}});
  layout.memory.push_back({3, "HBM", 1U << 30, {}, {}});
  CHECK(texts_of(layout)[1] == "HBM machine 0,1,2,3@3,3,2,2");
}

TEST_CASE("only HBM: it is the cores' own memory and no kind beside it") {
  MachineLayout layout = synthetic("pack:1 numa:1 l2:2 l1d:1 core:1 pu:1");
  layout.memory[0].kind = "HBM";
  CHECK(texts_of(layout).empty());
}

TEST_CASE("all hardware threads of the core that stands for the machine") {
  CHECK(texts_of(synthetic("pack:1 l2:2 l1d:1 core:1 pu:4")) == Texts{"smt DRAM core 0,1,2,3"});
  // One of the two is forbidden.
  CHECK(texts_of(synthetic("pack:1 l2:2 l1d:1 core:1 pu:2", Numbers{1, 2, 3})).empty());
  CHECK(texts_of(synthetic("pack:1 l2:2 l1d:1 core:1 pu:2", Numbers{2, 3})) ==
        Texts{"smt DRAM core 2,3"});
  // A quota that pays for one.
  MachineLayout layout = synthetic("pack:1 l2:2 l1d:1 core:1 pu:2");
  apply_cpu_quota(layout, 1.5);
  CHECK(texts_of(layout).empty());
  // One that pays for every core, and not for both hardware threads of one.
  MachineLayout single = synthetic("pack:1 l2:1 l1d:1 core:1 pu:2");
  apply_cpu_quota(single, 1.5);
  CHECK(texts_of(single).empty());
  REQUIRE(single.notes.size() == 1);
  CHECK(single.notes[0].find("1.5 cores' time: the 2 hardware threads of a core are not") !=
        std::string::npos);
  // One that pays for both.
  MachineLayout both = synthetic("pack:1 l2:2 l1d:1 core:1 pu:2");
  apply_cpu_quota(both, 2);
  CHECK(texts_of(both).size() == 1);
  CHECK(both.notes.empty());
}

TEST_CASE("nodes that the cpuset forbids are left out, with a note") {
  MachineLayout layout = recorded("hbm.xml");
  leave_out_forbidden_nodes(layout, std::nullopt);
  CHECK(layout.memory.size() == 4);
  leave_out_forbidden_nodes(layout, Numbers{0, 1, 2, 3});
  CHECK(layout.notes.empty());
  // What is known of memory is the sum of its nodes, before and after.
  const auto sums = [&] {
    std::map<std::string, std::uint64_t> by_kind;
    for (const MemoryNode& node : layout.memory) by_kind[node.kind] += node.bytes;
    return by_kind;
  };
  REQUIRE(sums().size() == 2);
  CHECK(layout.topology.memory_bytes == sums());
  leave_out_forbidden_nodes(layout, Numbers{0});
  CHECK(texts_of(layout) == Texts{"smt DRAM core 0,1"});
  CHECK(layout.topology.memory_bytes == sums());
  CHECK(sums().size() == 1);
  REQUIRE(layout.notes.size() == 1);
  CHECK(layout.notes[0].find("NUMA nodes 1-3") != std::string::npos);
}

TEST_CASE("hardware threads of a core: FMA and reads of every level, in the widest form") {
  const auto kernels = usable_kernels(all_kernels(), cpu_features());
  if (kernels.empty()) {
    WARN("no measuring kernels for this processor");
    return;
  }
  unsigned widest = 0;
  for (const Kernel* kernel : kernels) widest = std::max(widest, width_bits(*kernel));
  PlanInputs inputs;
  inputs.threads = 2;
  inputs.extent = PlanInputs::Extent::siblings;
  inputs.caches = {{"L1", 8192, false}, {"L2", 262144, false}};
  inputs.memory_set_bytes = 1 << 26;
  const Plan plan = plan_stage(kernels, inputs);
  std::set<std::string> planned;
  for (const Task& task : plan.tasks) {
    if (task.kernel->kind == Kernel::Kind::clock) continue;
    CHECK(width_bits(*task.kernel) == widest);
    planned.insert(task.level + " " + task.kernel->operation);
  }
  CHECK(planned == std::set<std::string>{" fma", "L1 read", "L2 read", "DRAM copy", "DRAM read",
                                         "DRAM triad"});
  inputs.extent = PlanInputs::Extent::streams;
  for (const Task& task : plan_stage(kernels, inputs).tasks) CHECK(task.level == "DRAM");
}

TEST_CASE("a core's caches are shared among its hardware threads") {
  Topology topology;
  topology.caches = {{"L1", 32 << 10, 8, 64, 1, 30 << 10, {}}, {"L2", 1 << 20, 8, 64, 1, {}, {}}};
  const Topology half = shared_among(topology, 2);
  CHECK(half.caches[0].bytes == 16 << 10);
  CHECK(half.caches[0].confirmed_bytes == 15U << 10);
  CHECK(half.caches[1].bytes == 512 << 10);
  CHECK_FALSE(half.caches[1].confirmed_bytes);
}

TEST_CASE("what this machine's system tells of its nodes") {
  const auto allowed = allowed_memory_nodes();
  if (!allowed) {
    WARN("no Mems_allowed_list here");
    return;
  }
  REQUIRE_FALSE(allowed->empty());
  const auto free = free_bytes_of_node(allowed->front());
  if (!free) {
    WARN("no nodes in /sys here");
    return;
  }
  CHECK(*free > 0);
  CHECK_FALSE(free_bytes_of_node(60000));
}

namespace {

/// This machine, told otherwise: its node 0 is local to the first core alone, is the other core's
/// DRAM and HBM as well, and its first two cores are one core's hardware threads.
std::optional<MachineLayout> made_of_this_machine() {
  const auto here = discover_layout();
  const auto allowed = allowed_memory_nodes();
  if (!here || !allowed || here->scopes.back().cpus.size() < 2 || here->memory.empty()) return {};
  MachineLayout layout = *here;
  const Numbers& cpus = layout.scopes.back().cpus;
  const unsigned node = layout.memory.front().os_index;
  layout.memory = {{node, "DRAM", 1U << 30, {cpus[0]}, {}},
                   {node, "HBM", 1U << 30, cpus, {}},
                   {node, "DRAM", 1U << 30, {cpus.begin() + 1, cpus.end()}, {}}};
  layout.smt_siblings = {cpus[0], cpus[1]};
  layout.topology.smt = 2;
  return layout;
}

std::string note_about(const Machine& machine, const std::string& part) {
  for (const std::string& note : machine.notes)
    if (note.find(part) != std::string::npos) return note;
  return "";
}

}  // namespace

TEST_CASE("the measuring itself: memory that is bound and found there, all threads of a core") {
  const auto layout = made_of_this_machine();
  const auto kernels = usable_kernels(all_kernels(), cpu_features());
  if (!layout || kernels.empty()) {
    WARN("this machine has not two cores, tells nothing of its nodes, or there are no kernels");
    return;
  }
  const unsigned node = layout->memory.front().os_index;
  StageLimits limits;
  limits.least_s = 0.1;
  limits.most_s = 0.3;
  limits.samples = 6;
  limits.trial_rounds = 1;
  const Stopwatch watch;
  const std::set<const Kernel*> any;
  const std::vector<Placement> placements = placements_of(*layout);
  REQUIRE(placements.size() >= 4);  // HBM of a core and of all, remote DRAM, siblings
  for (const Placement& placement : placements) {
    INFO(description_of(placement));
    PlacementSetting setting{layout->topology, kernels, any};
    setting.stream_bytes = setting.room_bytes = std::size_t{96} << 20;
    setting.warm_bytes = std::size_t{1} << 20;
    setting.touch_s = 60;  // however busy the machine is
    setting.limits = limits;
    const auto made = measure_placement(placement, setting, watch);
    if (!made && made.error().reason.find("pages") != std::string::npos) {
      WARN(to_line(made.error()));  // no mbind, no move_pages
      return;
    }
    REQUIRE(made.has_value());
    CHECK_FALSE(made->small_pool);
    CHECK(made->compute.empty() == (placement.name != "smt"));
    for (const ComputeCeiling& c : made->compute) {
      CHECK(c.placement == "smt");
      CHECK(c.threads == placement.cpus.size());
      CHECK(c.flop_per_s > 0);
    }
    std::set<std::string> streams;
    for (const BandwidthCeiling& b : made->bandwidth) {
      CHECK(b.placement == placement.name);
      CHECK(b.scope == placement.scope);
      CHECK(b.threads == placement.cpus.size());
      CHECK(b.interface_bytes_per_s > 0);
      CHECK(b.low <= b.high);
      if (b.level == placement.level) streams.insert(b.pattern);
      if (placement.name != "smt") CHECK(b.level == placement.level);
      if (placement.name == "smt") CHECK_FALSE(b.memory_node);
      if (placement.name == "remote") CHECK(b.memory_node == node);
    }
    CHECK(streams.contains("read"));
    CHECK(streams.contains("triad"));
    CHECK(streams.contains("write") == (placement.name != "smt"));
  }
}

TEST_CASE("each placement is measured or named, kinds as roofs and the others apart") {
  const auto layout = made_of_this_machine();
  if (!layout || usable_kernels(all_kernels(), cpu_features()).empty()) {
    WARN("this machine has not two cores, tells nothing of its nodes, or there are no kernels");
    return;
  }
  MeasureOptions options;
  options.budget_s = 8;
  Stopwatch watch;
  const Machine machine = calibrate(*layout, options, watch, {});
  for (const BandwidthCeiling& b : machine.bandwidth) CHECK(b.placement.empty());
  for (const BandwidthCeiling& b : machine.apart_bandwidth) CHECK_FALSE(b.placement.empty());
  for (const Placement& placement : placements_of(*layout)) {
    const std::string what = description_of(placement);
    INFO(what);
    const auto& list = placement.name.empty() ? machine.bandwidth : machine.apart_bandwidth;
    const bool measured = std::any_of(list.begin(), list.end(), [&](const BandwidthCeiling& b) {
      return b.placement == placement.name && b.level == placement.level &&
             b.threads == placement.cpus.size() && b.pattern == "read";
    });
    CHECK(measured == note_about(machine, what).empty());
  }
}

TEST_CASE("a hurried calibration leaves them out, and says which") {
  const auto layout = made_of_this_machine();
  if (!layout) {
    WARN("this machine has not two cores, or tells nothing of its nodes");
    return;
  }
  if (usable_kernels(all_kernels(), cpu_features()).empty()) {
    WARN("no kernels here");
    return;
  }
  MeasureOptions options;
  options.quick = true;
  options.budget_s = 4;
  Stopwatch watch;
  const Machine machine = calibrate(*layout, options, watch, {});
  CHECK(machine.apart_bandwidth.empty());
  CHECK(machine.apart_compute.empty());
  CHECK(note_about(machine, "(--quick)").find("remote DRAM on 1 core") != std::string::npos);
}

TEST_CASE("memory of a node that is not there is no ceiling, and the problem says why") {
  const auto kernels = usable_kernels(all_kernels(), cpu_features());
  const auto layout = discover_layout();
  REQUIRE(layout.has_value());
  const Placement placement{"", "core", layout->scopes.front().cpus, {60000}, "HBM"};
  const std::set<const Kernel*> any;
  PlacementSetting setting{layout->topology, kernels, any};
  setting.stream_bytes = setting.room_bytes = std::size_t{64} << 20;
  const auto made = measure_placement(placement, setting, Stopwatch());
  REQUIRE_FALSE(made.has_value());
  CHECK(to_line(made.error()).find("HBM on 1 core is not measured") != std::string::npos);
  CHECK(made.error().reason.find("NUMA node 60000") != std::string::npos);
}

TEST_CASE("too little memory would measure a cache: it is no ceiling") {
  const auto kernels = usable_kernels(all_kernels(), cpu_features());
  const auto layout = discover_layout();
  REQUIRE(layout.has_value());
  const Placement placement{"smt", "core", layout->scopes.front().cpus, {}, "DRAM"};
  const std::set<const Kernel*> any;
  PlacementSetting setting{layout->topology, kernels, any};
  setting.stream_bytes = std::size_t{64} << 20;
  setting.room_bytes = setting.stream_bytes / 4;
  const auto made = measure_placement(placement, setting, Stopwatch());
  REQUIRE_FALSE(made.has_value());
  CHECK(made.error().reason.find("16 of 64 MiB") != std::string::npos);
}

// Machines that nobody here owns: synthetic ones, and written descriptions in topologies/.
#include "analysis/machine/topology.hpp"

#include "analysis/machine/cpu_quota.hpp"
#include "analysis/machine/identity.hpp"
#include "catch.hpp"
#include "layouts.hpp"

using namespace roofmark;
using test::recorded;
using test::synthetic;

namespace {

std::string scopes(const MachineLayout& layout) {
  std::string text;
  for (const ScopeGroup& group : layout.scopes)
    text += (text.empty() ? "" : " ") + group.scope + group.core_kind + ":" +
            std::to_string(group.cpus.size());
  return text;
}

}  // namespace

TEST_CASE("two sockets of four chiplets each have every scope") {
  const MachineLayout layout =
      synthetic("pack:2 numa:2 l3:2(size=32MB) l2:4(size=1MB) l1d:1(size=32kB) core:1 pu:2");
  CHECK(layout.topology.sockets == 2);
  CHECK(layout.topology.numa_nodes == 4);
  CHECK(layout.topology.cores == 32);
  CHECK(layout.topology.threads == 64);
  CHECK(layout.topology.smt == 2);
  CHECK(scopes(layout) == "core:1 llc:4 numa:8 socket:16 machine:32");
  CHECK(layout.topology.scope_cores.at("socket") == 16);
  REQUIRE(layout.topology.caches.size() == 3);
  CHECK(layout.topology.caches[0].shared_by == 1);
  CHECK(layout.topology.caches[2].shared_by == 4);
  // One hardware thread per core.
  CHECK(layout.scopes[1].cpus == std::vector<unsigned>{0, 2, 4, 6});
  CHECK(layout.smt_siblings == std::vector<unsigned>{0, 1});
}

TEST_CASE("scopes of equal size are measured once, but their sizes are known") {
  const MachineLayout layout = synthetic("pack:1 numa:1 l3:1 l2:4 l1d:1 core:1 pu:1");
  CHECK(scopes(layout) == "core:1 machine:4");
  CHECK(layout.topology.scope_cores.at("llc") == 4);
  CHECK(layout.topology.scope_cores.at("numa") == 4);
}

TEST_CASE("a machine of one core has core and machine") {
  CHECK(scopes(synthetic("pack:1 l2:1 l1d:1 core:1 pu:1")) == "core:1 machine:1");
}

TEST_CASE("without an L3 the last cache is the L2") {
  const MachineLayout layout = synthetic("pack:1 l2:2(size=1MB) l1d:2(size=32kB) core:1 pu:1");
  REQUIRE(layout.topology.caches.size() == 2);
  CHECK(layout.topology.caches.back().name == "L2");
  CHECK(layout.topology.caches.back().shared_by == 2);
  CHECK(scopes(layout) == "core:1 llc:2 machine:4");
}

TEST_CASE("a machine that tells no caches says so") {
  const MachineLayout layout = synthetic("pack:1 core:2 pu:1");
  CHECK(layout.topology.caches.empty());
  CHECK(layout.notes.size() == 1);
  CHECK(scopes(layout) == "core:1 machine:2");
}

TEST_CASE("the affinity mask bounds what is seen") {
  const std::string description = "pack:2 numa:1 l3:2 l2:4 l1d:1 core:1 pu:2";
  // The second hardware thread of core 0, and both of core 1; all below one L3.
  const MachineLayout layout = synthetic(description, std::vector<unsigned>{1, 2, 3});
  CHECK(layout.topology.cores == 2);
  CHECK(layout.topology.threads == 3);
  CHECK(layout.topology.sockets == 1);
  CHECK(layout.topology.numa_nodes == 1);
  CHECK(layout.topology.caches.back().shared_by == 2);
  CHECK(scopes(layout) == "core:1 machine:2");
  CHECK(layout.scopes.back().cpus == std::vector<unsigned>{1, 2});
}

TEST_CASE("memory kinds are kept apart and NUMA domains counted by their cores") {
  const MachineLayout layout = recorded("hbm.xml");
  CHECK(layout.topology.sockets == 2);
  CHECK(layout.topology.numa_nodes == 2);
  CHECK(layout.topology.memory_bytes.at("DRAM") == 128'000'000'000U);
  CHECK(layout.topology.memory_bytes.at("HBM") == 32'000'000'000U);
  REQUIRE(layout.memory.size() == 4);
  CHECK(layout.memory[1].kind == "HBM");
  CHECK(layout.memory[1].local_cpus == layout.memory[0].local_cpus);
}

TEST_CASE("P and E cores are apart and the P core stands for the machine") {
  const MachineLayout layout = recorded("hybrid.xml");
  CHECK(layout.topology.core_kinds == std::map<std::string, unsigned>{{"E", 2}, {"P", 2}});
  CHECK(scopes(layout) == "coreP:1 coreE:1 machine:4");
  CHECK(layout.scopes[0].cpus == std::vector<unsigned>{0});
  CHECK(layout.scopes[1].cpus == std::vector<unsigned>{2});
}

TEST_CASE("what is not a topology is a problem with its place") {
  const Result<MachineLayout> absent = discover_layout({"/nonexistent.xml", {}, {}});
  REQUIRE_FALSE(absent.has_value());
  CHECK(absent.error().where == "/nonexistent.xml");
  CHECK_FALSE(discover_layout({{}, "nonsense:x", {}}).has_value());
}

TEST_CASE("this machine has at least a core") {
  const Result<MachineLayout> layout = discover_layout();
  REQUIRE(layout.has_value());
  CHECK(layout->topology.cores >= 1);
  CHECK(layout->scopes.front().cpus.size() == 1);
  CHECK(layout->scopes.back().scope == "machine");
  const Identity identity = machine_identity(*layout);
  CHECK_FALSE(identity.at("cpu_model").empty());
  CHECK(identity.at("cores_allowed") == cpu_list(layout->scopes.back().cpus));
}

TEST_CASE("a cgroup's quota bounds how many cores are loaded at once") {
  CHECK(parse_cpu_max("200000 100000") == 2.0);
  CHECK(parse_cpu_max("150000 100000") == 1.5);
  CHECK_FALSE(parse_cpu_max("max 100000").has_value());
  CHECK_FALSE(parse_cpu_max("").has_value());
  CHECK_FALSE(parse_cpu_max("5").has_value());

  MachineLayout layout = synthetic("pack:1 l3:2 l2:4 l1d:1 core:1 pu:1");
  apply_cpu_quota(layout, 2.5);
  CHECK(scopes(layout) == "core:1 llc:2 machine:2");
  CHECK(layout.notes.size() == 1);
  MachineLayout tiny = synthetic("pack:1 l3:2 l2:4 l1d:1 core:1 pu:1");
  apply_cpu_quota(tiny, 0.2);
  CHECK(tiny.scopes.back().cpus.size() == 1);
  MachineLayout free = synthetic("pack:1 l3:2 l2:4 l1d:1 core:1 pu:1");
  apply_cpu_quota(free, 8.0);
  apply_cpu_quota(free, std::nullopt);
  CHECK(free.notes.empty());
}

TEST_CASE("lists of CPUs are short and independent of order") {
  CHECK(cpu_list({}).empty());
  CHECK(cpu_list({3}) == "3");
  CHECK(cpu_list({2, 0, 1, 8, 1}) == "0-2,8");
}

TEST_CASE("identities differ when a part does") {
  const Identity one = {{"a", "x"}, {"b", "y"}};
  const Identity moved = {{"a", "xb"}, {"b", "y"}};
  const Identity shifted = {{"a", "x"}, {"by", ""}};
  CHECK(identity_key(one) == identity_key(one));
  CHECK(identity_key(one) != identity_key(moved));
  CHECK(identity_key(one) != identity_key(shifted));
  CHECK(identity_key(one).size() == 16);
}

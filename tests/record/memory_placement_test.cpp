#include "analysis/record/memory_placement.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cstring>

#include "analysis/machine/memory_nodes.hpp"
#include "analysis/record/sampler.hpp"
#include "catch.hpp"

using namespace roofmark;

namespace {

constexpr std::uint64_t page = 4096;

/// Two sockets with DRAM (0, 1) and HBM (2, 3) each, of two cores.
std::vector<MemoryNode> sockets_with_hbm() {
  return {{0, "DRAM", 0, {0, 1}, {}},
          {1, "DRAM", 0, {2, 3}, {}},
          {2, "HBM", 0, {0, 1}, {}},
          {3, "HBM", 0, {2, 3}, {}}};
}

}  // namespace

TEST_CASE("numa_maps: anonymous and shared memory by node, files left out") {
  const NodeBytes bytes = parse_numa_maps(
      "5581a000 default file=/usr/bin/cat mapped=2 N0=2 kernelpagesize_kB=4\n"
      "5581b000 default heap anon=3 dirty=3 N0=2 N1=1 kernelpagesize_kB=4\n"
      "7f000000 bind:1 anon=512 dirty=512 active=0 N1=512 kernelpagesize_kB=4\n"
      "7f100000 prefer (many):0-1 anon=5 dirty=5 N12=5 kernelpagesize_kB=4\n"
      "7f200000 default file=/anon_hugepage\\040(deleted) huge anon=1 N1=1 kernelpagesize_kB=2048\n"
      "7f300000 default file=/dev/shm/x dirty=7 N0=7 kernelpagesize_kB=4\n"
      "7f400000 default file=/dev/nvme0 dirty=7 N0=7 kernelpagesize_kB=4\n"
      "7f500000 default\n"
      "7f600000 default stack anon=x N0=y Nz=3 N=4 kernelpagesize_kB=4");
  CHECK(bytes ==
        NodeBytes{{0, 9 * page}, {1, 513 * page + (std::uint64_t{2} << 20)}, {12, 5 * page}});
  CHECK(parse_numa_maps("").empty());
}

TEST_CASE("a kind is told where nearly all memory is of it, remote is what no thread was near") {
  const auto nodes = sockets_with_hbm();
  const auto placed = [&](const NodeBytes& bytes, const std::set<unsigned>& processors) {
    return memory_placement(bytes, processors, nodes);
  };
  CHECK(placed({{2, 96}, {0, 4}}, {0}).kind == "HBM");
  CHECK(placed({{2, 96}, {0, 4}}, {0}).remote_share == 0.0);
  CHECK(placed({{2, 90}, {0, 10}}, {0}).kind.empty());
  CHECK(placed({{0, 30}, {1, 70}}, {0, 1}).kind == "DRAM");
  CHECK(placed({{0, 30}, {1, 70}}, {0, 1}).remote_share == Approx(0.7));
  // Threads on both sides: whose memory it is can't be told from outside.
  CHECK(placed({{0, 30}, {1, 70}}, {0, 3}).remote_share == 0.0);
  // A core that no node is known to be near, or none at all.
  CHECK_FALSE(placed({{0, 30}, {1, 70}}, {0, 9}).remote_share);
  CHECK_FALSE(placed({{0, 30}, {1, 70}}, {}).remote_share);
  // Memory of a node that is not known, and none.
  CHECK(placed({{7, 100}}, {0}).kind.empty());
  CHECK_FALSE(placed({{7, 100}}, {0}).remote_share);
  CHECK_FALSE(placed({}, {0}).remote_share);
  // One node: there is nothing to tell.
  CHECK(memory_placement({{0, 100}}, {0}, {nodes[0]}).kind.empty());
  CHECK_FALSE(memory_placement({{0, 100}}, {0}, {nodes[0]}).remote_share);
}

TEST_CASE("this process's own memory is found on a node that it may use") {
  const NodeBytes before = node_bytes(getpid());
  const auto allowed = allowed_memory_nodes();
  if (before.empty() || !allowed) {
    WARN("skipped: this kernel has no /proc/PID/numa_maps");
    return;
  }
  constexpr std::size_t bytes = std::size_t{32} << 20;
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  REQUIRE(memory != MAP_FAILED);
  std::memset(memory, 1, bytes);
  const NodeBytes after = node_bytes(getpid());
  munmap(memory, bytes);
  std::uint64_t grown = 0;
  for (const auto& [node, amount] : after) {
    CHECK(std::find(allowed->begin(), allowed->end(), node) != allowed->end());
    grown += amount - (before.contains(node) ? before.at(node) : 0);
  }
  CHECK(grown >= bytes);
  CHECK(grown < 2 * bytes);
  CHECK(node_bytes(-1).empty());
}

TEST_CASE("the sampler sees the nodes of a program when it is asked to") {
  if (node_bytes(getpid()).empty()) {
    WARN("skipped: this kernel has no /proc/PID/numa_maps");
    return;
  }
  Sampler looks(getpid(), "");
  looks.look(0.01);
  CHECK(looks.bytes_by_node().empty());
  Sampler sampler(getpid(), "");
  sampler.look_for_nodes();
  sampler.look(0.01);
  REQUIRE_FALSE(sampler.bytes_by_node().empty());
  WholeProgram whole;
  add_memory_placement(sampler.bytes_by_node(), sampler.take(), whole);
  // Of one node there is nothing to tell; of several all is told, since we know where we run.
  const auto layout = discover_layout();
  REQUIRE(layout);
  CHECK(whole.remote_memory_share.has_value() == (layout->memory.size() > 1));
}

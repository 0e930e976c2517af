// The ceilings of a part of a node, and of several nodes.
#include "libprofiler/analysis/machine/scaled.hpp"
#include "catch.hpp"

using namespace roofmark;

namespace {

Machine node(unsigned cores, std::vector<std::pair<unsigned, double>> bandwidths) {
  Machine machine;
  machine.topology.cores = cores;
  for (const auto& [threads, value] : bandwidths) {
    BandwidthCeiling ceiling;
    ceiling.level = "DRAM";
    ceiling.pattern = "triad";
    ceiling.threads = threads;
    ceiling.scope = threads == 1 ? "core" : "machine";
    ceiling.interface_bytes_per_s = ceiling.low = ceiling.high = value;
    machine.bandwidth.push_back(ceiling);
  }
  return machine;
}

const BandwidthCeiling* with(const Machine& machine, unsigned threads) {
  for (const BandwidthCeiling& ceiling : machine.bandwidth)
    if (ceiling.threads == threads) return &ceiling;
  return nullptr;
}

}  // namespace

TEST_CASE("a share on k cores is what k times the ranks reach, by the ranks") {
  const Machine whole = node(8, {{1, 20e9}, {2, 38e9}, {4, 60e9}, {8, 80e9}});
  const Machine quarter = share_of(whole, 4);
  CHECK(quarter.topology.cores == 2);
  REQUIRE(quarter.bandwidth.size() == 2);
  CHECK(with(quarter, 1)->interface_bytes_per_s == Approx(15e9));
  CHECK(with(quarter, 2)->interface_bytes_per_s == Approx(20e9));
  CHECK(with(quarter, 2)->source == Source::theoretical);
  CHECK(share_of(whole, 1).bandwidth[0].interface_bytes_per_s == Approx(20e9));
}

TEST_CASE("with more ranks than cores, or an uneven number, the whole node is divided") {
  const Machine whole = node(2, {{1, 20e9}, {2, 38e9}});
  const Machine eighth = share_of(whole, 8);
  CHECK(eighth.topology.cores == 1);
  REQUIRE(eighth.bandwidth.size() == 1);
  CHECK(with(eighth, 1)->interface_bytes_per_s == Approx(38e9 / 8));
  const Machine third = share_of(node(8, {{1, 20e9}, {8, 80e9}}), 3);
  CHECK(third.topology.cores == 2);
  CHECK(with(third, 2)->interface_bytes_per_s == Approx(80e9 / 3));
}

TEST_CASE("several nodes have all of it several times, and one core of one node as it was") {
  const Machine job = of_nodes(node(4, {{1, 20e9}, {4, 60e9}}), 100);
  CHECK(job.topology.cores == 400);
  CHECK(with(job, 1)->interface_bytes_per_s == Approx(20e9));
  CHECK(with(job, 400)->interface_bytes_per_s == Approx(6e12));
}

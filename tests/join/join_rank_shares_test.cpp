// What single ranks did where a job was run twice as a whole, from closed forms: each rank's time
// in one run, its counts in the other.
#include "catch.hpp"
#include "raw.hpp"

using namespace roofmark;
using namespace roofmark::test;

namespace {

/// Rank r is in `solve` for 2 (r + 1) seconds, half of that in `inner`.
RawProcess timed(unsigned rank, unsigned ranks) {
  RawProcess p = process(10 + static_cast<int>(rank), "/bin/solver");
  p.rank = rank;
  p.ranks = ranks;
  p.host = "node";
  RawThread main = thread(10 + static_cast<int>(rank), true);
  const std::uint64_t length = 1000 * (rank + 1);
  const auto solve = add(main, top, "solve", 2, 2 * length, 100, 100 + 2 * length);
  add(main, solve, "inner", 3, length, 200, 200 + length);
  p.threads.push_back(main);
  return p;
}

/// Rank r does 100 (r + 1) FLOPs in `solve` by itself and 40 (r + 1) in `inner`.
ProcessCounts counted_rank(unsigned rank) {
  const std::uint64_t by = rank + 1;
  ProcessCounts process = process_counts(
      {counted({"solve"}, 2, 100 * by, 10 * by), counted({"solve", "inner"}, 3, 40 * by, 4 * by)},
      "/bin/solver");
  process.pid = 100 - static_cast<int>(rank);  // in another order than the timed run's
  process.ppid = 50;
  process.rank = rank;
  return process;
}

JoinInput ranks_of_job(unsigned ranks) {
  std::vector<RawProcess> native;
  CountedPass pass;
  pass.collector = "emulated";
  for (unsigned rank = 0; rank < ranks; ++rank) {
    native.push_back(timed(rank, ranks));
    pass.processes.insert(pass.processes.begin(), counted_rank(rank));
  }
  JoinInput input = input_of(std::move(native), 20);
  input.counted = std::move(pass);
  return input;
}

ProcessCounts& counts_of(JoinInput& input, unsigned rank) {
  for (ProcessCounts& process : input.counted->processes)
    if (process.rank == rank) return process;
  throw std::logic_error("no such rank");
}

WorkShares rank_shares_of(const JoinInput& input,
                          const std::vector<std::string>& path = {"solve"}) {
  const Profile profile = joined(input);
  const Region* region = find(profile, path);
  REQUIRE(region != nullptr);
  REQUIRE(region->shares);
  return *region->shares;
}

}  // namespace

TEST_CASE("each rank has its own time, FLOPs and bytes, whatever the order of processes") {
  const WorkShares shares = rank_shares_of(ranks_of_job(3));
  CHECK(shares.of == WorkShares::Of::ranks);
  CHECK(shares.two_runs);
  CHECK(shares.total == 3);
  CHECK(shares.left_out.empty());
  REQUIRE(shares.each.size() == 3);
  for (std::uint64_t rank = 0; rank < 3; ++rank) {
    const WorkShare& share = shares.each[rank];
    const double by = static_cast<double>(rank + 1);
    CHECK(share.number == rank);
    CHECK(share.work.wall_s == Approx(2 * by));
    CHECK(share.self.wall_s == Approx(by));
    CHECK(share.self.flop.at(Precision::f64) == 100 * (rank + 1));
    CHECK(share.work.flop.at(Precision::f64) == 140 * (rank + 1));
    CHECK(share.self.bytes.at("DRAM") == 10 * (rank + 1));
    CHECK(share.work.bytes.at("DRAM") == 14 * (rank + 1));
  }
  CHECK_FALSE(joined(ranks_of_job(3)).regions[0].shares);
}

TEST_CASE("threads of a rank are its own, and so is what the rank started") {
  JoinInput input = ranks_of_job(2);
  RegionCounts of_worker = counted({"solve"}, 0, 7, 1);
  of_worker.thread = 3;
  counts_of(input, 1).regions.push_back(of_worker);
  const WorkShares shares = rank_shares_of(input);
  REQUIRE(shares.each.size() == 2);
  CHECK(shares.each[0].self.flop.at(Precision::f64) == 100);
  CHECK(shares.each[1].self.flop.at(Precision::f64) == 207);
}

TEST_CASE("a rank that entered the region otherwise in the other run has no counts of its own") {
  JoinInput input = ranks_of_job(2);
  counts_of(input, 1).regions[0].visits = 5;
  const WorkShares shares = rank_shares_of(input);
  REQUIRE(shares.each.size() == 1);
  CHECK(shares.each[0].number == 0);
  REQUIRE(shares.left_out.size() == 1);
  CHECK(shares.left_out[0].count == 1);
  CHECK(shares.left_out[0].reason.find("another number of times") != std::string::npos);

  // Inside it alone: its own work is known, that with the regions inside is not.
  input = ranks_of_job(2);
  counts_of(input, 1).regions[1].visits = 5;
  const WorkShares inside = rank_shares_of(input);
  REQUIRE(inside.each.size() == 2);
  CHECK(inside.each[1].self.flop.at(Precision::f64) == 200);
  CHECK(inside.each[1].work.flop.empty());
  CHECK(rank_shares_of(input, {"solve", "inner"}).each.size() == 1);

  input = ranks_of_job(2);
  counts_of(input, 0).regions[0].flags = {"unclosed"};
  CHECK(rank_shares_of(input).left_out.at(0).reason.find("only a part") != std::string::npos);
}

TEST_CASE("counts that name no rank make no dots, with the reason") {
  JoinInput input = ranks_of_job(2);
  for (ProcessCounts& process : input.counted->processes) process.rank.reset();
  const WorkShares shares = rank_shares_of(input);
  CHECK(shares.each.empty());
  REQUIRE(shares.left_out.size() == 1);
  CHECK(shares.left_out[0].count == 2);
  CHECK(shares.left_out[0].reason.find("does not say which rank") != std::string::npos);
}

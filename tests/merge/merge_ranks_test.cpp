// Ranks of a job, one after the other.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "catch.hpp"
#include "libprofiler/analysis/merge/merge_ranks.hpp"
#include "libprofiler/analysis/merge/rank_times.hpp"

using namespace roofmark;

namespace {

Count count(std::uint64_t value, Source source = Source::counted) {
  Count made;
  made.value = value;
  made.source = source;
  made.collector = "emulated";
  return made;
}

Region region(std::vector<std::string> path, double wall_s, std::uint64_t flop) {
  Region made;
  made.path = std::move(path);
  made.visits = 3;
  made.threads = 1;
  made.cores_used = Measure{1, Source::measured, {}, {}};
  made.work.wall_s = made.work.thread_s = Measure{wall_s, Source::measured, {}, {}};
  made.work.flop[Precision::f64] = count(flop);
  made.work.mix = {{Precision::f64, 256, Operation::fma, flop}};
  made.work.bytes["DRAM"] = {count(10 * flop, Source::modelled), count(0, Source::modelled)};
  made.self = made.work;
  return made;
}

Profile rank_of(std::uint64_t rank, std::uint64_t size, const std::string& host = "node0") {
  Profile made;
  made.program.command = {"./solver"};
  made.program.host = host;
  made.program.started = "2026-01-02T03:04:05Z";
  made.program.ranks = JobRanks{size, 1, 1, rank, 2, "Open MPI"};
  made.machine.identity["cpu_model"] = "a test";
  made.machine.topology.cores = 4;
  ComputeCeiling peak;
  peak.isa = "avx2";
  peak.threads = 4;
  peak.scope = "machine";
  peak.flop_per_s = 1e9;
  made.machine.compute = {peak};
  const double wall_s = 1.0 + static_cast<double>(rank);
  made.regions = {region({}, 2 * wall_s, 2000), region({"solve"}, wall_s, 1000)};
  return made;
}

const Region& at(const Profile& profile, const std::vector<std::string>& path) {
  for (const Region& one : profile.regions)
    if (one.path == path) return one;
  FAIL("no such region");
  return profile.regions[0];
}

}  // namespace

TEST_CASE("what ranks say in the same words is said once, and whose it is") {
  RankMerge merge;
  for (std::uint64_t rank = 0; rank < 3; ++rank) {
    Profile one = rank_of(rank, 3, "node0");
    one.notes = {
        "All say this of 20.5 MiB.",
        fmt::format("It waited for {:.2f} s of {} s.", 0.5 + static_cast<double>(rank), 10 + rank)};
    if (rank == 1) one.notes.push_back("Only one says this.");
    REQUIRE_FALSE(merge.add(one, "f"));
  }
  const std::vector<std::string> notes = merge.finish()->notes;
  const auto says = [&](const std::string& note) {
    return std::count(notes.begin(), notes.end(), note) == 1;
  };
  CHECK(says("All say this of 20.5 MiB."));
  CHECK(says("It waited for 0.50 s of 10 s. (Rank 0; 2 more say so with numbers of their own.)"));
  CHECK(says("Only one says this. (Rank 1.)"));
  CHECK(std::count_if(notes.begin(), notes.end(), [](const std::string& note) {
          return note.find("waited") != note.npos;
        }) == 1);
}

TEST_CASE("ranks whose memory was of one kind make a job of that kind; of remote memory the mean") {
  const auto merged = [](const char* last) {
    RankMerge merge;
    for (std::uint64_t rank = 0; rank < 2; ++rank) {
      Profile one = rank_of(rank, 2);
      one.program.memory_kind = rank == 0 ? "HBM" : last;
      one.program.remote_memory_share = 0.25 + 0.5 * static_cast<double>(rank);
      REQUIRE_FALSE(merge.add(one, "f"));
    }
    return *merge.finish();
  };
  CHECK(merged("HBM").program.memory_kind == "HBM");
  CHECK(merged("DRAM").program.memory_kind.empty());
  CHECK(merged("").program.memory_kind.empty());
  CHECK(merged("HBM").program.remote_memory_share == 0.5);
  // What was simulated stays known as such: it has no kind of its own.
  CHECK(at(merged("HBM"), {"solve"}).work.bytes.at("DRAM").read->collector == "emulated");
}

TEST_CASE("counts are summed over ranks, and the slowest rank's time holds") {
  RankMerge merge;
  for (std::uint64_t rank = 0; rank < 4; ++rank) REQUIRE_FALSE(merge.add(rank_of(rank, 4), "f"));
  const Profile job = *merge.finish();
  REQUIRE(job.regions.size() == 2);
  CHECK(job.regions[0].path.empty());
  const Region& solve = at(job, {"solve"});
  CHECK(solve.visits == 12);
  CHECK(solve.threads == 4);
  CHECK(solve.work.flop.at(Precision::f64).value == 4000);
  CHECK(solve.work.bytes.at("DRAM").read->value == 40000);
  CHECK(solve.work.bytes.at("DRAM").read->source == Source::modelled);
  CHECK(solve.work.mix.at(0).flop == 4000);
  CHECK(solve.work.wall_s->value == Approx(4));
  CHECK(solve.work.thread_s->value == Approx(10));
  CHECK(solve.ranks->min_s == Approx(1));
  CHECK(solve.ranks->min_rank == 0);
  CHECK(solve.ranks->median_s == Approx(2.5));
  CHECK(solve.ranks->max_rank == 3);
  CHECK(*solve.imbalance == Approx(1.6));
  CHECK(solve.cores_used->value == Approx(2.5));
  CHECK(job.program.ranks->recorded == 4);
  CHECK_FALSE(job.program.ranks->rank);
  CHECK(job.machine.compute[0].flop_per_s == Approx(1e9));
}

TEST_CASE("a merged time is as uncertain as the times that it is made of") {
  RankMerge merge;
  for (std::uint64_t rank = 0; rank < 4; ++rank) {
    Profile one = rank_of(rank, 4);  // in solve for 1, 2, 3 and 4 s
    Region& solve = one.regions[1];
    if (rank < 3) solve.off_cpu_s = Measure{0.4, Source::estimated, 0.3, 0.6};
    if (rank == 2) solve.off_cpu_s->low.reset();
    solve.mpi_s = Measure{0.2, Source::measured, {}, {}};
    if (rank == 1) solve.mpi_s->high = 0.4;
    // The third may have been in it for longer than the fourth was.
    if (rank == 2) solve.work.wall_s = Measure{3, Source::estimated, 2.5, 5};
    if (rank == 2) solve.work.thread_s = solve.work.wall_s;
    solve.self.wall_s = solve.self.thread_s = Measure{1, Source::measured, {}, {}};
    REQUIRE_FALSE(merge.add(one, "f"));
  }
  const Profile job = *merge.finish();
  const Region& solve = at(job, {"solve"});
  const auto is = [](const std::optional<Measure>& measure, double low, double value, double high) {
    REQUIRE(measure);
    CHECK(measure->value == Approx(value));
    REQUIRE(measure->low);
    CHECK(*measure->low == Approx(low));
    REQUIRE(measure->high);
    CHECK(*measure->high == Approx(high));
  };
  // Of a mean rank; of the fourth nothing was seen.
  is(solve.off_cpu_s, (0.3 + 0.3 + 0.4) / 4, 1.2 / 4, 1.8 / 4);
  is(solve.mpi_s, 0.2, 0.2, 0.25);
  is(solve.work.wall_s, 4, 4, 5);
  is(solve.work.thread_s, 9.5, 10, 12);
  CHECK(solve.work.thread_s->source == Source::estimated);
  CHECK(solve.off_cpu_s->source == Source::estimated);
  CHECK(solve.mpi_s->source == Source::measured);
  // What is no range becomes none.
  CHECK_FALSE(solve.self.wall_s->low);
  CHECK_FALSE(solve.self.thread_s->high);
  CHECK(solve.self.thread_s->source == Source::measured);
}

TEST_CASE("a node with fewer cores than ranks takes as long as its cores need") {
  RankMerge merge;
  for (std::uint64_t rank = 0; rank < 16; ++rank) {
    Profile one = rank_of(rank, 16);
    one.regions[1] = region({"solve"}, 1.0, 1000);
    REQUIRE_FALSE(merge.add(one, "f"));
  }
  // 16 s of work on 4 cores.
  CHECK(at(*merge.finish(), {"solve"}).work.wall_s->value == Approx(4));
  CHECK(at(*merge.finish(), {"solve"}).cores_used->value == Approx(4));
}

TEST_CASE(
    "no region lasts longer than the program, whatever its waiting threads seem to keep busy") {
  RankMerge merge;
  for (std::uint64_t rank = 0; rank < 16; ++rank) {
    Profile one = rank_of(rank, 16);
    // 16 ranks share 4 cores: of its second each has a quarter's processor time.
    one.regions[0].work.wall_s = Measure{1, Source::measured, {}, {}};
    one.regions[0].work.thread_s = Measure{0.25, Source::measured, {}, {}};
    one.regions[0].cores_used = Measure{0.25, Source::measured, {}, {}};
    one.regions[1] = region({"MPI_Init"}, 0.9, 0);
    one.regions[1].cores_used->source = Source::estimated;
    REQUIRE_FALSE(merge.add(one, "f"));
  }
  const Profile job = *merge.finish();
  CHECK(job.regions[0].work.wall_s->value == Approx(1));
  CHECK(at(job, {"MPI_Init"}).work.wall_s->value <= job.regions[0].work.wall_s->value);
  CHECK(at(job, {"MPI_Init"}).work.wall_s->value == Approx(1));
}

TEST_CASE("ranks of several nodes are placed under the ceilings of all of them") {
  RankMerge merge;
  for (std::uint64_t rank = 0; rank < 4; ++rank)
    REQUIRE_FALSE(merge.add(rank_of(rank, 4, rank < 2 ? "node0" : "node1"), "f"));
  const Profile job = *merge.finish();
  CHECK(job.program.ranks->nodes == 2);
  CHECK(job.machine.topology.cores == 8);
  CHECK(job.machine.compute[0].flop_per_s == Approx(2e9));
  CHECK(job.machine.compute[0].threads == 8);

  RankMerge unequal;
  REQUIRE_FALSE(unequal.add(rank_of(0, 2, "node0"), "f"));
  Profile other = rank_of(1, 2, "node1");
  other.machine.topology.cores = 64;
  REQUIRE_FALSE(unequal.add(other, "f"));
  CHECK(unequal.finish()->machine.compute.empty());
  CHECK(unequal.finish()->notes[0].find("not alike") != std::string::npos);
}

TEST_CASE("what one rank lacks is lacked by the sum, with its reason") {
  RankMerge merge;
  REQUIRE_FALSE(merge.add(rank_of(0, 2), "f"));
  Profile lacking = rank_of(1, 2);
  lacking.regions[1].work.flop.clear();
  lacking.regions[1].work.mix.clear();
  lacking.regions[1].missing = {{"flop", "not counted here", "count it"}};
  REQUIRE_FALSE(merge.add(lacking, "f"));
  const Profile job = *merge.finish();
  const Region& solve = at(job, {"solve"});
  CHECK(solve.work.flop.empty());
  CHECK(solve.work.mix.empty());
  CHECK(solve.missing.at(0).reason == "not counted here");
  CHECK(solve.work.bytes.at("DRAM").read->value == 20000);
  CHECK(at(job, {}).work.flop.at(Precision::f64).value == 4000);
}

TEST_CASE("what ranks share is not summed over them") {
  RankMerge merge;
  for (std::uint64_t rank = 0; rank < 2; ++rank) {
    Profile one = rank_of(rank, 2);
    one.regions[1].work.bytes["DRAM"].read->scope = Scope::socket;
    REQUIRE_FALSE(merge.add(one, "f"));
  }
  const Profile job = *merge.finish();
  CHECK_FALSE(at(job, {"solve"}).work.bytes.at("DRAM").read);
  CHECK(at(job, {"solve"}).missing.at(0).quantity == "bytes.DRAM");
}

TEST_CASE("a region that only some ranks enter stands behind its parent") {
  RankMerge merge;
  Profile first = rank_of(0, 2), second = rank_of(1, 2);
  first.regions.push_back(region({"end"}, 1, 1));
  second.regions.push_back(region({"solve", "edge"}, 0.5, 7));
  REQUIRE_FALSE(merge.add(first, "f"));
  REQUIRE_FALSE(merge.add(second, "f"));
  const Profile job = *merge.finish();
  REQUIRE(job.regions.size() == 4);
  CHECK(job.regions[2].path == std::vector<std::string>{"solve", "edge"});
  CHECK(job.regions[2].work.flop.at(Precision::f64).value == 7);
  CHECK_FALSE(job.regions[2].ranks);
  CHECK(job.regions[2].work.wall_s->source == Source::measured);
}

TEST_CASE("ranks that are missing are named, and files that do not belong are refused") {
  RankMerge merge;
  for (const std::uint64_t rank : {1, 2, 6}) REQUIRE_FALSE(merge.add(rank_of(rank, 8), "f"));
  CHECK(merge.finish()->notes.at(0).find("Ranks 0, 3-5, 7 of 8 are not in here") == 0);
  CHECK(merge.finish()->program.ranks->recorded == 3);
  CHECK(merge.add(rank_of(2, 8), "again")->where == "again");
  CHECK(merge.add(rank_of(0, 4), "other")->reason.find("of a job of 4 ranks") != std::string::npos);
  Profile none = rank_of(0, 8);
  none.program.ranks.reset();
  CHECK(merge.add(none, "none"));
  CHECK(merge.add(rank_of(9, 8), "beyond"));
  CHECK(merge.finish()->program.ranks->recorded == 3);
  CHECK_FALSE(RankMerge().finish());
}

TEST_CASE("the median of few ranks is exact and of many within 1 %") {
  RankTimes few;
  for (const double time_s : {5.0, 1.0, 3.0}) few.add(static_cast<std::uint64_t>(time_s), time_s);
  CHECK(few.spread()->median_s == 3);
  CHECK_FALSE(few.spread()->median_estimated);
  RankTimes many;
  for (std::uint64_t rank = 0; rank < 10001; ++rank)
    many.add(rank, 1e-3 * std::pow(1.0003, static_cast<double>((rank * 7919) % 10001)));
  const double exact = 1e-3 * std::pow(1.0003, 5000);
  CHECK(many.spread()->median_estimated);
  CHECK(std::abs(many.spread()->median_s / exact - 1) < 0.01);
  CHECK(many.spread()->ranks == 10001);
  RankTimes zeros;
  for (std::uint64_t rank = 0; rank < 100; ++rank) zeros.add(rank, 0);
  CHECK(zeros.spread()->median_s == 0);
}

TEST_CASE("single ranks of a job are kept with their own counts") {
  RankMerge merge;
  for (std::uint64_t rank = 0; rank < 3; ++rank) {
    Profile one = rank_of(rank, 3);
    if (rank == 1) {
      one.regions[1].work.flop.clear();
      one.regions[1].self.flop.clear();
      one.regions[1].missing = {{"flop", "no counters", "check"}};
    }
    REQUIRE_FALSE(merge.add(one, "f"));
  }
  const Profile job = *merge.finish();
  // The sum has no FLOPs where a rank has none: there is no point for a cloud to be around.
  CHECK_FALSE(at(job, {"solve"}).shares);
  CHECK_FALSE(at(job, {}).shares);

  RankMerge whole;
  for (std::uint64_t rank = 0; rank < 3; ++rank) REQUIRE_FALSE(whole.add(rank_of(rank, 3), "f"));
  const WorkShares shares = *at(*whole.finish(), {"solve"}).shares;
  CHECK(shares.of == WorkShares::Of::ranks);
  CHECK(shares.total == 3);
  CHECK_FALSE(shares.two_runs);
  REQUIRE(shares.each.size() == 3);
  CHECK(shares.each[2].number == 2);
  CHECK(shares.each[2].work.wall_s == 3);
  CHECK(shares.each[2].work.flop.at(Precision::f64) == 1000);
  CHECK(shares.each[2].work.bytes.at("DRAM") == 10000);
  CHECK(shares.left_out.empty());
}

TEST_CASE("what is kept of single ranks does not grow with the job") {
  RankMerge merge;
  for (std::uint64_t rank = 0; rank < 200; ++rank) {
    Profile one = rank_of(rank, 200);
    one.regions.back().self.wall_s->value = 100;
    for (int i = 0; i < 100; ++i)
      one.regions.push_back(region({"region" + std::to_string(i)}, 1, 10));
    REQUIRE_FALSE(merge.add(one, "f"));
  }
  const Profile job = *merge.finish();
  std::size_t kept = 0;
  for (const Region& one : job.regions)
    if (one.shares) {
      kept += one.shares->each.size();
      std::uint64_t all = one.shares->each.size();
      for (const auto& left : one.shares->left_out) all += left.count;
      CHECK(all == one.shares->total);
    }
  CHECK(kept <= most_shares_of_all);
  const WorkShares& heaviest = *at(job, {"solve"}).shares;
  CHECK(heaviest.each.size() == 50);
  CHECK(heaviest.each[1].number == 4);
  CHECK(heaviest.left_out.at(0).count == 150);
}

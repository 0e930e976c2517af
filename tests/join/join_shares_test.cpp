// What single threads did, from closed forms: two runs, threads known by the order in which they
// were made.
#include <analysis/join/join_shares.hpp>
#include "catch.hpp"

#include "raw.hpp"

using namespace roofmark;
using namespace roofmark::test;

namespace {

/// work is 4 s on the main thread and 2 s on the worker; inside is 1 s of the worker's.
RawProcess native_run() {
  RawProcess p = process();
  RawThread main = thread(1, true), worker = thread(5);
  worker.created_ticks = 1500;
  add(main, top, "work", 2, 4000, 1000, 5000);
  const auto work = add(worker, top, "work", 3, 2000, 1600, 3600);
  add(worker, work, "inside", 1, 1000, 1700, 2700);
  p.threads = {main, worker};
  return p;
}

RegionCounts of_thread(std::uint32_t serial, RegionCounts row) {
  row.thread = serial;
  return row;
}

std::vector<RegionCounts> rows() {
  return {of_thread(0, counted({"work"}, 2, 800, 100)), of_thread(3, counted({"work"}, 3, 200, 50)),
          of_thread(3, counted({"work", "inside"}, 1, 40, 10))};
}

JoinInput input_with(RawProcess process, std::vector<RegionCounts> rows) {
  JoinInput input = input_of({std::move(process)});
  input.counted = CountedPass{"emulated", {process_counts(std::move(rows))}, std::nullopt};
  return input;
}

WorkShares shares_of(const JoinInput& input, const std::vector<std::string>& path = {"work"}) {
  const Profile profile = joined(input);
  const Region* region = find(profile, path);
  REQUIRE(region != nullptr);
  REQUIRE(region->shares);
  return *region->shares;
}

void check_none(const JoinInput& input, std::uint64_t total, const std::string& reason) {
  const WorkShares shares = shares_of(input);
  CHECK(shares.each.empty());
  CHECK(shares.total == total);
  REQUIRE(shares.left_out.size() == 1);
  CHECK(shares.left_out[0].count == total);
  INFO(shares.left_out[0].reason);
  CHECK(shares.left_out[0].reason.find(reason) != std::string::npos);
}

}  // namespace

TEST_CASE("each thread has its own time, FLOPs and bytes, with and without what is inside") {
  const WorkShares shares = shares_of(input_with(native_run(), rows()));
  CHECK(shares.of == WorkShares::Of::threads);
  CHECK(shares.total == 2);
  CHECK(shares.two_runs);
  CHECK(shares.left_out.empty());
  REQUIRE(shares.each.size() == 2);
  const WorkShare &main = shares.each[0], &worker = shares.each[1];
  CHECK(main.number == 0);
  CHECK(main.self.wall_s == Approx(4));
  CHECK(main.self.flop.at(Precision::f64) == 800);
  CHECK(main.self.flop.at(Precision::f32) == 0);
  CHECK(main.self.bytes.at("DRAM") == 100);
  CHECK(main.self.bytes.at("L1") == 6400);
  CHECK(main.work == main.self);
  CHECK(worker.number == 1);
  CHECK(worker.self.wall_s == Approx(1));
  CHECK(worker.self.flop.at(Precision::f64) == 200);
  CHECK(worker.work.wall_s == Approx(2));
  CHECK(worker.work.flop.at(Precision::f64) == 240);
  CHECK(worker.work.bytes.at("DRAM") == 60);
  const Profile profile = joined(input_with(native_run(), rows()));
  CHECK_FALSE(find(profile, {"work", "inside"})->shares);  // of one thread
  CHECK_FALSE(profile.regions[0].shares);
}

TEST_CASE("a thread that only lent its work has no time of its own, and is told") {
  std::vector<RegionCounts> counted_rows = rows();
  counted_rows.push_back(of_thread(4, counted({"work"}, 0, 100, 10)));
  const WorkShares shares = shares_of(input_with(native_run(), counted_rows));
  CHECK(shares.total == 3);
  CHECK(shares.each.size() == 2);
  REQUIRE(shares.left_out.size() == 1);
  CHECK(shares.left_out[0].count == 1);
  CHECK(shares.left_out[0].fix.find("--annotations openmp") != std::string::npos);
}

TEST_CASE("a thread that entered the region otherwise in the other run has no counts of its own") {
  std::vector<RegionCounts> counted_rows = rows();
  counted_rows[1].visits = 4;
  const WorkShares shares = shares_of(input_with(native_run(), counted_rows));
  REQUIRE(shares.each.size() == 1);
  CHECK(shares.each[0].number == 0);
  CHECK(shares.left_out.at(0).reason.find("another number of times") != std::string::npos);

  // Inside it alone: its own work is known, that with the regions inside is not.
  counted_rows = rows();
  counted_rows[2].visits = 2;
  const WorkShares inside = shares_of(input_with(native_run(), counted_rows));
  REQUIRE(inside.each.size() == 2);
  CHECK(inside.each[1].self.flop.at(Precision::f64) == 200);
  CHECK(inside.each[1].work.flop.empty());
}

TEST_CASE("which thread is which is not guessed") {
  RawProcess ended = native_run();
  ended.threads[1].folded = true;
  check_none(input_with(ended, rows()), 2, "had ended before the program did");

  RawProcess made_by_others = native_run();
  made_by_others.threads[1].creator_tid.reset();
  check_none(input_with(made_by_others, rows()), 2, "not all made by the same one");

  RawProcess more = native_run();
  RawThread third = thread(6);
  third.created_ticks = 1700;
  add(third, top, "work", 1, 1000, 1700, 2700);
  more.threads.push_back(third);
  check_none(input_with(more, rows()), 3, "3 threads with regions and the counted one 2");

  JoinInput two = input_with(native_run(), rows());
  RawProcess second = native_run();
  second.pid = 2;
  two.native.push_back(second);
  CHECK(shares_of(two).each.empty());
  CHECK(shares_of(two).left_out[0].reason.find("several processes") != std::string::npos);
}

TEST_CASE("threads are told apart by when they were made, not by when they entered a region") {
  RawProcess p = native_run();
  RawThread third = thread(6);
  third.created_ticks = 1400;  // before the other one
  add(third, top, "work", 1, 1000, 1700, 2700);
  p.threads.push_back(third);
  std::vector<RegionCounts> counted_rows = rows();
  counted_rows.push_back(of_thread(2, counted({"work"}, 1, 7, 1)));
  const WorkShares shares = shares_of(input_with(p, counted_rows));
  REQUIRE(shares.each.size() == 3);
  CHECK(shares.each[1].self.flop.at(Precision::f64) == 7);
  CHECK(shares.each[1].self.wall_s == Approx(1));
}

TEST_CASE("of many threads the fastest, the slowest and those at even steps between are kept") {
  WorkShares shares;
  shares.total = 1000;
  for (std::uint64_t i = 0; i < 1000; ++i) {
    WorkShare share;
    share.number = i;
    share.self.wall_s = static_cast<double>((i * 7) % 1000);
    shares.each.push_back(share);
  }
  thin_out(shares);
  REQUIRE(shares.each.size() == most_shares);
  double fastest = 1e9, slowest = 0;
  for (const WorkShare& share : shares.each) {
    fastest = std::min(fastest, share.self.wall_s);
    slowest = std::max(slowest, share.self.wall_s);
  }
  CHECK(fastest == 0);
  CHECK(slowest == 999);
  CHECK(shares.left_out.at(0).count == 1000 - most_shares);
  CHECK(std::is_sorted(shares.each.begin(), shares.each.end(),
                       [](const auto& a, const auto& b) { return a.number < b.number; }));
}

TEST_CASE("a profile keeps a bounded number of shares, those of the heaviest regions") {
  Profile profile;
  for (int i = 0; i < 100; ++i) {
    Region region;
    region.path = {"r" + std::to_string(i)};
    region.self.wall_s = Measure{static_cast<double>(i), Source::measured, {}, {}};
    region.shares = WorkShares{};
    region.shares->total = most_shares;
    region.shares->each.resize(most_shares);
    profile.regions.push_back(region);
  }
  limit_shares(profile);
  CHECK(profile.regions[99].shares->each.size() == most_shares);
  CHECK(profile.regions[36].shares->each.size() == most_shares);
  CHECK(profile.regions[35].shares->each.empty());
  CHECK(profile.regions[35].shares->left_out.at(0).count == most_shares);
}

// Counts of a second pass on the regions of the first, from closed forms.
#include <analysis/join/hot_paths.hpp>
#include <cmath>

#include "catch.hpp"

#include "raw.hpp"

using namespace roofmark;
using namespace roofmark::test;

namespace {

/// solve (1 visit) with spmv (10 visits) inside.
RawProcess native(std::uint64_t spmv_visits = 10) {
  RawProcess p = process();
  RawThread main = thread(1, true);
  const auto solve = add(main, top, "solve", 1, 6000, 1000, 7000);
  add(main, solve, "spmv", spmv_visits, 4000, 1000, 6900);
  p.threads.push_back(main);
  return p;
}

JoinInput input_with(std::vector<RegionCounts> rows, std::uint64_t spmv_visits = 10) {
  JoinInput input = input_of({native(spmv_visits)});
  input.counted = CountedPass{"emulated", {process_counts(std::move(rows))}, std::nullopt};
  return input;
}

RegionCounts outside() {
  RegionCounts row;
  row.operations["instructions"] = 5;
  row.mix.push_back({Precision::f64, 0, Operation::add, 7});
  row.bytes["L1"] = {{1, 1, 1}, {2, 2, 2}};
  return row;
}

}  // namespace

TEST_CASE("counts of equal passes are exact, self and inclusive") {
  const Profile profile = joined(input_with(
      {outside(), counted({"solve"}, 1, 100, 640), counted({"solve", "spmv"}, 10, 1000, 6400)}));
  const Region& solve = *find(profile, {"solve"});
  const Region& spmv = *find(profile, {"solve", "spmv"});
  CHECK(solve.self.flop.at(Precision::f64).value == 100);
  CHECK(solve.work.flop.at(Precision::f64).value == 1100);
  CHECK(spmv.work.flop.at(Precision::f64).value == 1000);
  CHECK(spmv.work.flop.at(Precision::f32).value == 0);
  CHECK_FALSE(spmv.work.flop.at(Precision::f64).low);
  CHECK(spmv.work.flop.at(Precision::f64).source == Source::counted);
  CHECK(spmv.work.flop.at(Precision::f64).collector == "emulated");
  CHECK(solve.work.bytes.at("DRAM").read->value == 7040);
  CHECK(solve.work.bytes.at("DRAM").read->source == Source::modelled);
  CHECK(solve.work.bytes.at("L1").read->source == Source::counted);
  CHECK(solve.work.operations.at("instructions").value == 11000);
  REQUIRE(solve.work.mix.size() == 1);
  CHECK(solve.work.mix[0].flop == 1100);
  CHECK(solve.flags.empty());
  CHECK(solve.missing.empty());
  CHECK(profile.passes[0].coverage == 1);
}

TEST_CASE("the whole program has the work outside of regions too, but not its DRAM bytes") {
  const Profile profile = joined(input_with(
      {outside(), counted({"solve"}, 1, 100, 640), counted({"solve", "spmv"}, 10, 1000, 6400)}));
  const Region& row = profile.regions[0];
  CHECK(row.work.flop.at(Precision::f64).value == 1107);
  CHECK(row.self.flop.at(Precision::f64).value == 7);
  CHECK(row.work.bytes.at("L1").read->value == 8801);
  CHECK(row.work.bytes.count("DRAM") == 0);
  CHECK(is_missing(row, "bytes.DRAM"));
  CHECK_FALSE(is_missing(row, "bytes.L1"));
  CHECK_FALSE(is_missing(row, "flop"));
}

TEST_CASE("passes join per visit: another number of visits scales, is flagged and is a range") {
  const Profile profile = joined(
      input_with({counted({"solve"}, 1, 100, 640), counted({"solve", "spmv"}, 40, 4000, 6400)}));
  const Region& spmv = *find(profile, {"solve", "spmv"});
  const Count& flop = spmv.work.flop.at(Precision::f64);
  CHECK(flop.value == 1000);
  CHECK(*flop.low == 1000);
  CHECK(*flop.high == 4000);
  CHECK(spmv.flags.count("visits_differ") == 1);
  CHECK(find(profile, {"solve"})->flags.count("visits_differ") == 0);
  CHECK(find(profile, {"solve"})->work.flop.at(Precision::f64).value == 1100);
  CHECK(*find(profile, {"solve"})->work.flop.at(Precision::f64).high == 4100);
}

TEST_CASE("counts beyond 2^53 stay whole") {
  const std::uint64_t many = (std::uint64_t{1} << 60) + 1;
  RegionCounts row = counted({"solve"}, 1, 0, 0);
  row.mix.push_back({Precision::f32, 128, Operation::mul, many});
  const Profile profile = joined(input_with({row, counted({"solve", "spmv"}, 10, 10, 0)}));
  CHECK(find(profile, {"solve"})->self.flop.at(Precision::f32).value == many);
}

TEST_CASE("threads' counts are summed, and those of passing threads belong to the region") {
  RegionCounts a = counted({"solve", "spmv"}, 10, 500, 0), b = a;
  b.thread = 1;
  b.visits = 0;
  b.flags = {"adopted"};
  const Profile profile = joined(input_with({counted({"solve"}, 1, 1, 0), a, b}));
  CHECK(find(profile, {"solve", "spmv"})->work.flop.at(Precision::f64).value == 1000);
  CHECK(find(profile, {"solve", "spmv"})->flags.count("adopted") == 1);
  CHECK(find(profile, {"solve", "spmv"})->flags.count("visits_differ") == 0);
}

TEST_CASE(
    "a region that the counted run did not enter has no counts, and neither have its parents") {
  const Profile profile = joined(input_with({outside(), counted({"solve"}, 1, 100, 640)}));
  const Region& spmv = *find(profile, {"solve", "spmv"});
  CHECK(spmv.work.flop.empty());
  CHECK(spmv.work.bytes.empty());
  CHECK(is_missing(spmv, "flop"));
  CHECK(is_missing(spmv, "bytes.DRAM"));
  const Region& solve = *find(profile, {"solve"});
  CHECK(solve.work.flop.empty());
  CHECK(solve.self.flop.at(Precision::f64).value == 100);
  CHECK(is_missing(solve, "flop"));
  CHECK(profile.passes[0].coverage == Approx(1.0 / 11));
}

TEST_CASE("a counted run that was ended early counts what it closed and names the rest") {
  RegionCounts solve = counted({"solve"}, 1, 50, 640);
  solve.flags = {"unclosed"};
  RegionCounts spmv = counted({"solve", "spmv"}, 4, 350, 700);
  spmv.flags = {"unclosed"};
  JoinInput input = input_with({outside(), solve, spmv});
  input.counted->problem = Problem{"the counted run was ended after 5 s", "", "--budget"};
  const Profile profile = joined(input);
  // 3.5 visits of work, 10 native visits: 1000, and between 10/4 and 10/3 of what was counted.
  const Count& flop = find(profile, {"solve", "spmv"})->work.flop.at(Precision::f64);
  CHECK(flop.value == 1000);
  CHECK(*flop.low == 350);
  CHECK(*flop.high == 1167);
  CHECK(find(profile, {"solve"})->work.flop.empty());
  CHECK(find(profile, {"solve"})->self.flop.empty());
  CHECK(is_missing(*find(profile, {"solve"}), "flop"));
  CHECK(find(profile, {"solve"})->missing[0].reason.find("ended after 5 s, inside this region") !=
        std::string::npos);
  REQUIRE(profile.notes.size() == 1);
  CHECK(profile.notes[0].find("solve") != std::string::npos);
}

TEST_CASE("a counted run with an end of its own says so where it left something out, only there") {
  const Problem died{"the counted run ended with status 134, the timed run with 0", "", "remedy"};
  const auto whole = counted({"solve", "spmv"}, 10, 1000, 6400);
  RegionCounts open = counted({"solve"}, 1, 50, 640);
  open.flags = {"unclosed"};

  JoinInput closed = input_with({outside(), counted({"solve"}, 1, 100, 640), whole});
  closed.counted->other_end = died;
  const Profile all = joined(closed);
  CHECK(find(all, {"solve"})->missing.empty());
  CHECK(find(all, {"solve"})->work.flop.at(Precision::f64).value == 1100);
  // What it did outside of them by then nobody knows.
  CHECK(find(all, {})->work.flop.empty());
  CHECK(all.notes.size() == 1);

  JoinInput cut = input_with({outside(), open, whole});
  cut.counted->other_end = died;
  const Profile inside = joined(cut);
  CHECK(find(inside, {"solve"})->work.flop.empty());
  CHECK(find(inside, {"solve"})->missing.at(0).reason == died.reason + ", inside this region");
  CHECK(find(inside, {"solve", "spmv"})->work.flop.at(Precision::f64).value == 1000);

  JoinInput not_reached = input_with({outside(), open});
  not_reached.counted->other_end = died;
  const Profile before = joined(not_reached);
  const Missing& missing = find(before, {"solve", "spmv"})->missing.at(0);
  CHECK(missing.reason == died.reason + ", before this region was reached");
  CHECK(missing.fix == "remedy");
  CHECK(before.notes.size() == 1);
}

TEST_CASE(
    "counts by code, without visits, are those of the timed run only where both ended alike") {
  FoundCode heavy;
  heavy.path = {"heavy"};
  heavy.wall_s = heavy.thread_s = {3, Source::estimated, {}, {}};
  JoinInput input = input_of({});
  input.found = FoundProgram{};
  input.found->code = {heavy};
  input.counted =
      CountedPass{"emulated", {process_counts({counted({"heavy"}, 1, 100, 640)})}, std::nullopt};
  const Profile alike = joined(input);
  CHECK(find(alike, {"heavy"})->work.flop.at(Precision::f64).value == 100);
  CHECK(find(alike, {})->work.flop.at(Precision::f64).value == 100);
  CHECK(alike.passes[0].coverage == 1);

  const Problem died{"the counted run ended with status 5, the timed run with 0", "", "remedy"};
  const Problem behind{"a process was left running", "", "wait for it"};
  for (const bool left_running : {false, true}) {
    CAPTURE(left_running);
    (left_running ? input.counted->left_running : input.counted->other_end) =
        left_running ? behind : died;
    const Profile otherwise = joined(input);
    for (const std::vector<std::string>& path : {std::vector<std::string>{}, {"heavy"}}) {
      const Region& row = *find(otherwise, path);
      CHECK(row.work.flop.empty());
      CHECK(row.work.bytes.empty());
      REQUIRE(is_missing(row, "flop"));
      CHECK(row.missing[0].reason.rfind(left_running ? behind.reason : died.reason, 0) == 0);
    }
    CHECK(otherwise.passes[0].coverage == 0);
    input.counted->other_end.reset();
  }
  // Nor is what a program with regions did outside of them.
  JoinInput marked = input_with(
      {outside(), counted({"solve"}, 1, 100, 640), counted({"solve", "spmv"}, 10, 1000, 6400)});
  CHECK(find(joined(marked), {})->work.flop.at(Precision::f64).value == 1107);
  marked.counted->other_end = died;
  CHECK(find(joined(marked), {})->work.flop.empty());
  CHECK(find(joined(marked), {})->self.flop.empty());
  CHECK(find(joined(marked), {"solve"})->work.flop.at(Precision::f64).value == 1100);
  // Nor was any program without functions that were found.
  JoinInput alone = input_of({});
  alone.counted = CountedPass{"emulated", {process_counts({outside()})}, std::nullopt};
  CHECK(find(joined(alone), {})->work.flop.at(Precision::f64).value == 7);
  alone.counted->other_end = died;
  CHECK(find(joined(alone), {})->work.flop.empty());
}

TEST_CASE("what a process was in that the program left running is not known, its own ends are") {
  RegionCounts open = counted({"solve"}, 1, 50, 640);
  open.flags = {"unclosed"};
  JoinInput input = input_with({outside(), open, counted({"solve", "spmv"}, 10, 1000, 6400)});
  input.native[0].threads[0].nodes[0].open_since = 1000;
  input.native[0].threads[0].nodes[0].visits = 0;
  input.counted->left_running = Problem{"a process was left running", "", "wait for it"};
  input.counted->main_pid = 1;
  CHECK(find(joined(input), {"solve"})->work.flop.at(Precision::f64).value == 1050);
  input.counted->main_pid = 2;
  const Profile behind = joined(input);
  CHECK(find(behind, {"solve"})->work.flop.empty());
  CHECK(find(behind, {"solve"})->missing.at(0).reason ==
        "a process was left running, inside this region");
  CHECK(find(behind, {"solve", "spmv"})->work.flop.at(Precision::f64).value == 1000);
}

TEST_CASE("a visit that the timed run left unfinished did at most what the counted one did") {
  JoinInput input =
      input_with({outside(), counted({"solve"}, 1, 0, 0), counted({"solve", "spmv"}, 10, 1000, 0)});
  // The tenth went on when the program ended.
  RawNode& spmv = input.native[0].threads[0].nodes[1];
  spmv.visits = 9;
  spmv.open_since = 6500;
  const Count flop = find(joined(input), {"solve", "spmv"})->work.flop.at(Precision::f64);
  CHECK(flop.value == 950);
  REQUIRE(flop.low);
  CHECK(*flop.low == 900);
  CHECK(*flop.high == 1000);
}

TEST_CASE("a range of the cache model stays one, and sampling is labelled") {
  RegionCounts spmv = counted({"solve", "spmv"}, 10, 10, 0);
  constexpr std::uint64_t many = 1'000'000;  // what the sample says of them is as good as exact
  spmv.bytes["DRAM"] = {{1000 * many, 900 * many, 1500 * many},
                        {1000 * many, 1000 * many, 1000 * many}};
  JoinInput input = input_with({counted({"solve"}, 1, 1, 0), spmv});
  input.counted->processes[0].sampling = "sets 1/8";
  input.counted->reduced_caches = {{"L3", "L3 of 1 MiB (2 MiB reported)"}};
  const Profile profile = joined(input);
  const Count& read = *find(profile, {"solve"})->work.bytes.at("DRAM").read;
  CHECK(read.value == 1000 * many);
  CHECK(*read.low == 900 * many);
  CHECK(*read.high == 1500 * many);
  CHECK(read.caveats ==
        std::vector<std::string>{"sets 1/8", "L3 of 1 MiB (2 MiB reported)", "replacement policy"});
  CHECK_FALSE(find(profile, {"solve"})->work.bytes.at("DRAM").write->low);
  CHECK(find(profile, {"solve"})->flags.count("sampled") == 1);
  CHECK(find(profile, {"solve"})->work.flop.at(Precision::f64).caveats.empty());
}

TEST_CASE("few lines in the sampled sets leave a range of two standard errors") {
  // 80 lines of a sample of one set in 8 that let a third of what came pass: sqrt(7/8 / 80) of it.
  const std::uint64_t bytes = 80 * 8 * 64;
  RegionCounts spmv = counted({"solve", "spmv"}, 10, 10, 0);
  const auto exact = [](std::uint64_t value) { return CountRange{value, value, value}; };
  spmv.bytes["L2"] = {exact(3 * bytes), exact(3 * bytes)};
  spmv.bytes["L3"] = {exact(bytes), exact(0)};
  spmv.bytes["DRAM"] = {exact(bytes), exact(0)};
  JoinInput input = input_with({counted({"solve"}, 1, 1, 0), spmv});
  input.counted->processes[0].sampling = "sets 1/8";
  const Profile sampled = joined(input);
  const auto& levels = find(sampled, {"solve", "spmv"})->work.bytes;
  const double off = 2 * std::sqrt(7.0 / 8 / 80);
  for (const char* level : {"L3", "DRAM"}) {  // all of L3's passed DRAM too: no error is added
    const Count& read = *levels.at(level).read;
    INFO(level);
    REQUIRE(read.low);
    REQUIRE(read.high);
    CHECK(double(*read.low) == Approx(double(bytes) * (1 - off)).margin(1));
    CHECK(double(*read.high) == Approx(double(bytes) * (1 + off)).margin(1));
    CHECK(read.caveats == std::vector<std::string>{"sets 1/8"});
  }
  CHECK_FALSE(levels.at("L2").read->low);
  CHECK(levels.at("L2").read->caveats.empty());
  input.counted->processes[0].sampling.clear();
  const Profile full = joined(input);
  CHECK_FALSE(find(full, {"solve", "spmv"})->work.bytes.at("DRAM").read->low);
}

TEST_CASE("none in a sample is at most three lines of each set that one stands for") {
  // e^-3 is 0.05: with more lines than that expected a sample without any has less than 5 %.
  for (const std::uint64_t sets : {2U, 8U, 64U})
    for (const std::uint64_t came : {0U, 1U, 5U, 24U, 1000U, 1'000'000U}) {
      INFO("1/" << sets << ", " << came << " lines came");
      const auto exact = [](std::uint64_t value) { return CountRange{value, value, value}; };
      RegionCounts spmv = counted({"solve", "spmv"}, 10, 10, 0);
      spmv.bytes["L2"] = {exact(came * 64), exact(came * 64)};
      spmv.bytes["L3"] = {exact(0), exact(0)};
      spmv.bytes["DRAM"] = {exact(0), exact(0)};
      JoinInput input = input_with({counted({"solve"}, 1, 1, 0), spmv});
      input.counted->processes[0].sampling = "sets 1/" + std::to_string(sets);
      const std::uint64_t most = std::min(3 * 64 * sets, came * 64);
      const Profile sampled = joined(input);
      for (const char* level : {"L3", "DRAM"})
        for (const bool write : {false, true}) {
          const Traffic& traffic = find(sampled, {"solve", "spmv"})->work.bytes.at(level);
          const Count& count = write ? *traffic.write : *traffic.read;
          CHECK(count.value == 0);
          CHECK(count.low.has_value() == (most > 0));
          CHECK(count.low.value_or(0) == 0);
          CHECK(count.high.value_or(0) == most);
        }
      input.counted->processes[0].sampling.clear();
      const Profile full = joined(input);
      CHECK_FALSE(find(full, {"solve", "spmv"})->work.bytes.at("L3").read->high);
    }
}

/// The chance that a Poisson count of this mean is at most `most`.
double chance_of_at_most(unsigned most, double mean) {
  double term = std::exp(-mean), sum = 0;
  for (unsigned k = 0; k <= most; ++k) {
    sum += term;
    term *= mean / (k + 1);
  }
  return sum;
}

TEST_CASE("few lines in a sample are bounded as a Poisson count is, and more lines by more") {
  for (const unsigned sets : {2U, 8U, 64U}) {
    std::uint64_t low_before = 0, high_before = 0;
    for (unsigned lines = 0; lines <= 100; ++lines) {
      const auto exact = [](std::uint64_t value) { return CountRange{value, value, value}; };
      RegionCounts spmv = counted({"solve", "spmv"}, 10, 10, 0);
      spmv.bytes["L2"] = {exact(64'000'000), exact(0)};
      spmv.bytes["L3"] = {exact(std::uint64_t(lines) * sets * 64), exact(0)};
      JoinInput input = input_with({counted({"solve"}, 1, 1, 0), spmv});
      input.counted->processes[0].sampling = "sets 1/" + std::to_string(sets);
      const Profile profile = joined(input);
      const Count& read = *find(profile, {"solve", "spmv"})->work.bytes.at("L3").read;
      INFO(lines << " lines of 1/" << sets);
      REQUIRE(read.low);
      REQUIRE(read.high);
      CHECK(*read.low >= low_before);
      CHECK(*read.high > high_before);
      low_before = *read.low;
      high_before = *read.high;
      if (lines > 20) continue;
      // As few lines have 5 % if the upper end is the truth; as many no more if the lower end is.
      const double mean = double(*read.high) / sets / 64;
      CHECK(chance_of_at_most(lines, mean) <= 0.0501);
      CHECK(chance_of_at_most(lines, mean - 0.02) > 0.05);
      if (lines > 0 && sets >= 8)
        CHECK(1 - chance_of_at_most(lines - 1, double(*read.low) / sets / 64) <= 0.05);
    }
  }
}

TEST_CASE("few lines in a sample are no more than came to the level") {
  const auto exact = [](std::uint64_t value) { return CountRange{value, value, value}; };
  RegionCounts spmv = counted({"solve", "spmv"}, 10, 10, 0);
  spmv.bytes["L2"] = {exact(30 * 64), exact(0)};
  spmv.bytes["L3"] = {exact(8 * 64), exact(0)};  // one line of one set in 8: 4.75 x 8 without a cap
  JoinInput input = input_with({counted({"solve"}, 1, 1, 0), spmv});
  input.counted->processes[0].sampling = "sets 1/8";
  const Profile profile = joined(input);
  CHECK(find(profile, {"solve", "spmv"})->work.bytes.at("L3").read->high == 30 * 64);
}

TEST_CASE("a cache that was modelled smaller is a caveat of every level beyond it") {
  RegionCounts spmv = counted({"solve", "spmv"}, 10, 10, 0);
  for (const char* level : {"L1", "L2", "L3", "DRAM"})
    spmv.bytes[level] = {{1000, 1000, 1000}, {10, 10, 10}};
  JoinInput input = input_with({counted({"solve"}, 1, 1, 0), spmv});
  const std::string l2 = "L2 of 1 MiB (2 MiB reported)", l3 = "L3 of 1 MiB (2 MiB reported)";
  input.counted->reduced_caches = {{"L2", l2}, {"L3", l3}};
  const Profile profile = joined(input);
  const auto caveats = [&](const char* level) {
    const Traffic& traffic = find(profile, {"solve", "spmv"})->work.bytes.at(level);
    CHECK(traffic.read->caveats == traffic.write->caveats);
    return traffic.read->caveats;
  };
  CHECK(caveats("L1").empty());
  CHECK(caveats("L2").empty());
  CHECK(caveats("L3") == std::vector<std::string>{l2});
  CHECK(caveats("DRAM") == std::vector<std::string>{l2, l3});
}

TEST_CASE("work that may run otherwise natively is flagged, in its region and those around it") {
  RegionCounts spmv = counted({"solve", "spmv"}, 10, 10, 0);
  spmv.flags = {"isa_differs"};
  const Profile profile =
      joined(input_with({counted({"solve"}, 1, 1, 0), spmv, counted({"other"}, 0, 1, 0)}));
  CHECK(find(profile, {"solve", "spmv"})->flags.count("isa_differs") == 1);
  CHECK(find(profile, {"solve"})->flags.count("isa_differs") == 1);
  CHECK(find(profile, {"other"})->flags.count("isa_differs") == 0);
}

TEST_CASE("levels that this machine lacks are not missing") {
  JoinInput input =
      input_with({counted({"solve"}, 1, 1, 0), counted({"solve", "spmv"}, 10, 10, 0)});
  ProcessCounts& counts = input.counted->processes[0];
  counts.geometry.pop_back();
  for (RegionCounts& row : counts.regions) row.bytes.erase("L3");
  const Profile profile = joined(input);
  CHECK(find(profile, {"solve"})->missing.empty());
  CHECK(find(profile, {"solve"})->work.bytes.count("L3") == 0);
}

TEST_CASE("a pass without caches leaves the bytes absent with a reason, not zero") {
  RegionCounts solve = counted({"solve"}, 1, 1, 0), spmv = counted({"solve", "spmv"}, 10, 10, 0);
  for (RegionCounts* row : {&solve, &spmv})
    for (const char* level : {"L2", "L3", "DRAM"}) row->bytes.erase(level);
  JoinInput input = input_with({solve, spmv});
  input.counted->processes[0].geometry.clear();
  const Profile profile = joined(input);
  CHECK(find(profile, {"solve"})->work.bytes.count("L1") == 1);
  CHECK(find(profile, {"solve"})->work.bytes.count("DRAM") == 0);
  CHECK(is_missing(*find(profile, {"solve"}), "bytes.DRAM"));
}

TEST_CASE("the hottest paths are those with most time of their own") {
  RawProcess p = process();
  RawThread main = thread(1, true);
  const auto solve = add(main, top, "solve", 1, 9000, 0, 9000);
  add(main, solve, "spmv", 10, 5000, 0, 6000);
  add(main, solve, "dot", 10, 3000, 1000, 8000);
  add(main, solve, "norm", 10, 500, 1000, 8000);
  add(main, top, "report", 1, 400, 9000, 9400);
  p.threads.push_back(main);
  const HotPaths hot = hot_paths(input_of({p}));
  // 5 s and 3 s of 9.4 s are more than four fifths.
  REQUIRE(hot.paths.size() == 2);
  CHECK(hot.paths[0] == std::vector<std::string>{"solve", "spmv"});
  CHECK(hot.paths[1] == std::vector<std::string>{"solve", "dot"});
  CHECK(hot.share == Approx(8 / 9.4));
  CHECK(hot_paths(input_of({})).paths.empty());
  // Another program's regions have the names that it gave them.
  CHECK(hot_paths(input_of({process(1),
                            [&] {
                              RawProcess other = p;
                              other.executable = "/bin/other";
                              return other;
                            }()}))
            .paths[0] == std::vector<std::string>{"solve", "spmv"});
}

TEST_CASE("waiting is no work to count: neither MPI calls nor sleep come first") {
  RawProcess p = process();
  RawThread main = thread(1, true);
  const auto solve = add(main, top, "solve", 1, 3000, 0, 3000);
  const auto call = add(main, solve, "MPI_Testany", 1000, 2500, 0, 3000);
  add(main, call, "progress", 1000, 2400, 0, 3000);
  add(main, top, "sleep", 1, 6000, 3000, 9000);
  add(main, top, "multiply", 1, 600, 9000, 9600);
  p.threads.push_back(main);
  JoinInput input = input_of({p});
  for (int i = 0; i < 90; ++i) {
    PlacementSample look;
    look.time_s = 0.1 * i;
    look.threads = {{1, 1, 0, i < 30, path_key({i < 30 ? "solve" : "sleep"}), 0}};
    input.samples.push_back(look);
  }
  const HotPaths hot = hot_paths(input);
  REQUIRE(hot.paths.size() == 2);
  CHECK(hot.paths[0] == std::vector<std::string>{"multiply"});
  CHECK(hot.paths[1] == std::vector<std::string>{"solve"});
  CHECK(hot.share == Approx(1));
}

TEST_CASE("functions that the counted run alone saw have its visits, or none with the reason") {
  RegionCounts seen = counted({"seen"}, 400, 8, 0), late = counted({"late"}, 3, 8, 0),
               both = counted({"both"}, 5, 8, 0);
  late.flags = {"passed_over"};
  RawProcess p = process();
  RawThread main = thread(1, true);
  add(main, top, "both", 4, 400, 0, 400);
  p.threads.push_back(main);
  JoinInput input = input_of({p});
  input.only_counted = {"seen", "late", "both"};
  CountedPass pass;
  pass.collector = "emulated";
  pass.processes = {process_counts({seen, late, both})};
  input.counted = pass;
  const Profile profile = joined(input);
  const Region& known = *find(profile, {"seen"});
  CHECK(has_visits(known));
  CHECK(known.visits == 400);
  CHECK(known.visits_source == Source::counted);
  CHECK(known.flags.count("visits_differ") == 0);
  CHECK(known.work.flop.at(Precision::f64).value == 8);
  const Region& unknown = *find(profile, {"late"});
  CHECK_FALSE(has_visits(unknown));
  CHECK(is_missing(unknown, "visits"));
  CHECK(unknown.work.flop.empty());  // of those visits that were seen: no sum
  CHECK(is_missing(unknown, "flop"));
  // The timed run's own come first.
  CHECK(find(profile, {"both"})->visits == 4);
  CHECK(find(profile, {"both"})->visits_source == Source::measured);
}

TEST_CASE("what a pass for the hottest paths leaves out is absent, with the reason") {
  RegionCounts setup = counted({"setup"}, 0, 0, 0), solve = counted({"solve"}, 1, 1, 0),
               spmv = counted({"solve", "spmv"}, 10, 10, 0), whole = outside();
  setup.bytes.clear();
  setup.flags = {"passed_over"};
  whole.flags = {"partial"};
  whole.bytes.clear();
  solve.bytes = {{"L1", solve.bytes["L1"]}};
  JoinInput input = input_with({whole, setup, solve, spmv});
  add(input.native[0].threads[0], top, "setup", 1, 100, 7000, 7100);
  input.counted->hot_only = Problem{"300 s may not be enough", "", "--budget with more seconds"};
  const Profile profile = joined(input);
  const auto reason = [&](const std::vector<std::string>& path, const std::string& quantity) {
    for (const Missing& missing : find(profile, path)->missing)
      if (missing.quantity == quantity) return missing.reason + " / " + missing.fix;
    return std::string();
  };
  CHECK(reason({"setup"}, "flop") ==
        "it was passed over: 300 s may not be enough / --budget with more seconds");
  CHECK(find(profile, {"setup"})->work.flop.empty());
  CHECK(find(profile, {"setup"})->flags.count("passed_over") == 0);
  CHECK(find(profile, {"solve", "spmv"})->missing.empty());
  CHECK(find(profile, {"solve", "spmv"})->work.flop.at(Precision::f64).value == 10);
  CHECK(reason({"solve"}, "flop").empty());
  CHECK(reason({"solve"}, "bytes.DRAM").find("not simulated") != std::string::npos);
  CHECK(find(profile, {"solve"})->self.flop.at(Precision::f64).value == 1);
  CHECK(reason({}, "flop").find("passed over") != std::string::npos);
}

TEST_CASE("visits before counting began are made up for by those after") {
  RegionCounts spmv = counted({"solve", "spmv"}, 5, 50, 0);
  spmv.flags = {"passed_over"};
  const Profile profile = joined(input_with({counted({"solve"}, 1, 1, 0), spmv}, 10));
  const Count& flop = find(profile, {"solve", "spmv"})->work.flop.at(Precision::f64);
  CHECK(flop.value == 100);
  CHECK(flop.low);
  CHECK(find(profile, {"solve", "spmv"})->flags.count("visits_differ") == 1);
}

TEST_CASE("declared work: a region's own, else its children's") {
  RawProcess p = process();
  RawThread main = thread(1, true);
  const auto outer = add(main, top, "outer", 1, 5000, 0, 5000);
  const auto a = add(main, outer, "a", 1, 1000, 0, 1000);
  const auto b = add(main, outer, "b", 1, 1000, 1000, 2000);
  main.nodes[a].declared_flop = 100;
  main.nodes[b].declared_flop = 20;
  main.nodes[b].declared_bytes = 8;
  const auto own = add(main, top, "own", 1, 1000, 6000, 7000);
  const auto inside = add(main, own, "inside", 1, 500, 6000, 6500);
  main.nodes[own].declared_flop = 1000;
  main.nodes[inside].declared_flop = 300;
  p.threads.push_back(main);
  const Profile profile = joined(input_of({p}));
  CHECK(find(profile, {"outer"})->work.declared_flop->value == 120);
  CHECK(find(profile, {"outer"})->work.declared_bytes->value == 8);
  CHECK_FALSE(find(profile, {"outer"})->self.declared_flop);
  CHECK(find(profile, {"outer", "a"})->work.declared_flop->source == Source::declared);
  CHECK_FALSE(find(profile, {"outer", "a"})->work.declared_bytes);
  CHECK(find(profile, {"own"})->work.declared_flop->value == 1000);
}

TEST_CASE("what neither run could keep meets, and is apart from a region of its name") {
  RawProcess p = process();
  RawThread main = thread(1, true);
  add(main, top, "(other)", 3, 30, 0, 30);
  main.nodes[add(main, top, "(other)", 1, 10, 40, 50)].other = true;
  p.threads.push_back(main);
  JoinInput input = input_of({p});
  RegionCounts ours = counted({"(other)"}, 1, 500, 64);
  ours.flags = {"truncated"};
  input.counted =
      CountedPass{"emulated", {process_counts({counted({"(other)"}, 3, 100, 64), ours})}, {}};
  const Profile profile = joined(input);
  CHECK(find(profile, {"(other)"})->work.flop.at(Precision::f64).value == 100);
  const Region& kept_nothing = *find(profile, {"(other) of roofmark"});
  CHECK(kept_nothing.work.flop.at(Precision::f64).value == 500);
  CHECK(kept_nothing.flags == std::set<std::string>{"truncated"});
}

// What moved, in numbers and in words.
#include "analysis/comparison/sentences.hpp"
#include "catch.hpp"
#include "runs.hpp"

using namespace roofmark;
using namespace roofmark::test;
using comparison::compare;
using comparison::Comparison;

namespace {

Comparison of(const Kernel& before, const Kernel& after) {
  return compare({run_of({before})}, {run_of({after})});
}

bool warns(const Comparison& result, const std::string& text) {
  for (const std::string& warning : result.warnings)
    if (warning.find(text) != std::string::npos) return true;
  return false;
}

}  // namespace

TEST_CASE("every quantity is after over before") {
  const Comparison result = of({{"k"}, 2, 1e9, 8e9}, {{"k"}, 1, 2e9, 4e9});
  const auto& changes = at(result, {"k"}).changes;
  CHECK(changes.at("time").ratio == Approx(0.5));
  CHECK(changes.at("flop").ratio == Approx(2));
  CHECK(changes.at("bytes").ratio == Approx(0.5));
  CHECK(changes.at("intensity").ratio == Approx(4));
  CHECK(changes.at("flop_per_s").ratio == Approx(4));
  CHECK(changes.at("roof_fraction").before > 0);
  CHECK(result.level == "DRAM");
  CHECK(says(at(result, {"k"}), "Faster by 2x: 2 s before, 1 s after"));
  CHECK(says(at(result, {"k"}), "FLOPs 2x, DRAM bytes -50 %"));
}

TEST_CASE("equal runs move nothing") {
  const Kernel same{{"k"}, 1, 1e9, 8e9};
  const Comparison result = of(same, same);
  for (const auto& [quantity, change] : at(result, {"k"}).changes) {
    INFO(quantity);
    CHECK(change.ratio == 1);
    CHECK_FALSE(change.beyond_noise);
  }
  CHECK(at(result, {"k"}).sentences.empty());
  CHECK(result.warnings.empty());
}

TEST_CASE("crossing the ridge is called out, staying on a side is not") {
  // One core: 20 GFLOP/s over 16 to 20 GB/s of DRAM, both cores 40 over 30.
  const Comparison crossed = of({{"k"}, 1, 1e9, 8e9}, {{"k"}, 1, 19e9, 1e9});
  CHECK(says(at(crossed, {"k"}), "crossed the ridge, from the memory side to the compute side"));
  CHECK(says(at(crossed, {"k"}), "Its verdict was memory (DRAM) and is compute"));
  CHECK_FALSE(says(at(of({{"k"}, 1, 1e9, 8e9}, {{"k"}, 1, 2e9, 8e9}), {"k"}), "ridge"));
}

TEST_CASE("moved right but no nearer the roof") {
  // Half the bytes, and the time goes down by no more than the roof goes up.
  const Comparison no_nearer = of({{"k"}, 1, 1e9, 8e9}, {{"k"}, 0.9, 1e9, 4e9});
  CHECK(says(at(no_nearer, {"k"}), "moved right on the chart"));
  CHECK(says(at(no_nearer, {"k"}), "no nearer the roof"));
  CHECK(says(at(no_nearer, {"k"}), "rose by as much as it gained"));
  CHECK(says(at(of({{"k"}, 1, 1e9, 8e9}, {{"k"}, 1, 1e9, 4e9}), {"k"}),
             "the fewer bytes bought no time"));
  // Twice the work with the same bytes in the time that the roof asks for it: no byte was saved.
  const Comparison more_work = of({{"k"}, 1, 8e9, 1e9}, {{"k"}, 2, 16e9, 1e9});
  CHECK(says(at(more_work, {"k"}), "it takes as long"));
  CHECK_FALSE(says(at(more_work, {"k"}), "fewer bytes"));
  const Comparison nearer = of({{"k"}, 1, 1e9, 8e9}, {{"k"}, 0.4, 1e9, 4e9});
  CHECK_FALSE(says(at(nearer, {"k"}), "no nearer the roof"));
  // Two per cent are no move to talk about.
  CHECK_FALSE(says(at(of({{"k"}, 1, 1e9, 8e9}, {{"k"}, 2, 2e9, 15.7e9}), {"k"}), "moved right"));
}

TEST_CASE("a share of the roof that rose within the noise is neither nearer nor no nearer") {
  // Half the bytes; twice as fast, in runs that scatter by more.
  const auto runs = [](double bytes, std::initializer_list<double> times_s) {
    std::vector<Profile> all;
    for (const double time_s : times_s) all.push_back(test::run_of({{{"k"}, time_s, 1e9, bytes}}));
    return all;
  };
  const Comparison noisy = compare(runs(8e9, {1, 2.2, 3}), runs(4e9, {0.3, 1.4, 0.5}));
  CHECK(says(at(noisy, {"k"}), "whether it is nearer the roof ("));
  CHECK(says(at(noisy, {"k"}), ") is within the noise"));
  CHECK_FALSE(says(at(noisy, {"k"}), "no nearer"));
}

TEST_CASE("nearer the roof but no faster") {
  const Comparison more_work = of({{"k"}, 1, 1e9, 8e9}, {{"k"}, 1, 1.5e9, 12e9});
  CHECK(says(at(more_work, {"k"}), "nearer the roof"));
  CHECK(says(at(more_work, {"k"}), "but no faster: it does more work"));
  CHECK_FALSE(says(at(of({{"k"}, 1, 1e9, 8e9}, {{"k"}, 0.6, 1e9, 8e9}), {"k"}), "no faster"));
}

TEST_CASE("faster and further from the roof") {
  CHECK(says(at(of({{"k"}, 1, 2e9, 16e9}, {{"k"}, 0.5, 0.5e9, 4e9}), {"k"}),
             "faster and yet further from the roof"));
}

TEST_CASE("what one side lacks is new, gone or absent with the reason; never a change from 0") {
  Profile before = run_of({{{"old"}, 1}, {{"both"}, 1}});
  Profile after = run_of({{{"both"}, 1}, {{"new"}, 1}});
  before.regions[1].work.flop.clear();
  before.regions[1].rooflines.clear();
  before.regions[1].missing.push_back({"flop", "nobody counted", "count"});
  const Comparison result = compare({before}, {after});
  CHECK(result.regions.size() == 3);
  CHECK(says(at(result, {"old"}), "Gone"));
  CHECK(says(at(result, {"new"}), "New"));
  CHECK(at(result, {"new"}).changes.empty());
  const auto both = at(result, {"both"});
  CHECK(both.changes.count("flop") == 0);
  CHECK(both.absent.at("flop") == "nobody counted (before)");
  CHECK(both.changes.count("time") == 1);
}

TEST_CASE("a renamed region takes what is below it along") {
  const Profile before = run_of({{{"s"}, 2}, {{"s", "old"}, 1}, {{"s", "old", "inner"}, 0.5}});
  const Profile after = run_of({{{"s"}, 2}, {{"s", "new"}, 1}, {{"s", "new", "inner"}, 0.5}});
  comparison::Options options;
  options.renamed = {{"s/old", "s/new"}};
  const Comparison result = compare({before}, {after}, options);
  CHECK(result.regions.size() == 3);
  CHECK(at(result, {"s", "new", "inner"}).before.present);
  CHECK(at(result, {"s", "new", "inner"}).path_before ==
        std::vector<std::string>{"s", "old", "inner"});
  CHECK(result.warnings.empty());

  options.renamed = {{"s/odl", "s/new"}, {"s/old", "s/nwe"}};
  const Comparison mistyped = compare({before}, {after}, options);
  CHECK(warns(mistyped, "No run before has a region `s/odl`"));
  CHECK(warns(mistyped, "No run after has a region `s/nwe`"));
  CHECK(says(at(mistyped, {"s", "old"}), "Gone"));
}

TEST_CASE("other machines, commands and ceilings are warned of") {
  const Profile here = run_of({{{"k"}, 1}});
  Profile there = here;
  there.machine.identity["cpu_model"] = "another";
  CHECK(warns(compare({here}, {there}), "different machines (model and another)"));
  Profile fewer = here;
  fewer.machine.identity["cores_allowed"] = "0";
  CHECK(warns(compare({here}, {fewer}), "different machines"));

  Profile unknown = here;
  unknown.machine = {};
  CHECK(warns(compare({here}, {unknown}), "Of 1 of 2 runs the machine is not known"));
  CHECK_FALSE(warns(compare({here}, {unknown}), "different machines"));
  CHECK_FALSE(warns(compare({unknown}, {unknown}), "machine"));
  CHECK(warns(compare({unknown, here}, {there}), "different machines (model and another)"));

  Profile anew = here;
  anew.machine.measured_at = "2026-01-01T00:00:00Z";
  CHECK_FALSE(warns(compare({here}, {anew}), "ceilings differ"));
  for (auto& ceiling : anew.machine.bandwidth)
    if (ceiling.level == "DRAM") ceiling.interface_bytes_per_s *= 1.1;
  CHECK(warns(compare({here}, {anew}), "its ceilings differ (DRAM +10 %)"));

  Profile other = here;
  other.program.command = {"./app", "--fast"};
  CHECK(warns(compare({here}, {other}), "`./app` and `./app --fast`"));
  Profile failed = here;
  failed.program.exit_status = 3;
  CHECK(warns(compare({here}, {failed}), "1 of 2 runs ended with another status"));
  Profile busy = here;
  busy.program.waited_share = 0.2;
  CHECK(warns(compare({here}, {busy}), "the machine was busy"));
}

TEST_CASE("changes read as people say them") {
  using comparison::change_text;
  CHECK(change_text(1) == "0 %");
  CHECK(change_text(1.0001) == "0 %");
  CHECK(change_text(1.123) == "+12 %");
  CHECK(change_text(0.969) == "-3.1 %");
  CHECK(change_text(3.5) == "3.5x");
  CHECK(change_text(0.001) == "-99.9 %");  // something is left
  CHECK(change_text(1e-9) == "-99.9 %");
  CHECK(change_text(0.0055) == "-99.5 %");
  CHECK(change_text(1.0 / 0.0) == "-");
}

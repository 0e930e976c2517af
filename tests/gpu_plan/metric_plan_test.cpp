#include "collectors/cupti/metric_plan.hpp"

#include <algorithm>
#include <set>

#include "collectors/cupti/host_api.hpp"
#include "tables.hpp"

using namespace roofmark;
using namespace roofmark::cupti;

namespace {

PlanOptions by_table() {
  PlanOptions options;
  options.tables = ROOFMARK_CHIP_TABLES;
  options.use_host_api = false;
  return options;
}

MetricPlan plan_of(const std::string& chip, const PlanOptions& options) {
  const auto plan = plan_metrics(chip, options);
  if (!plan) FAIL(to_line(plan.error()));
  return *plan;
}

std::set<std::string> metrics_of(const MetricPlan& plan) {
  std::set<std::string> all;
  for (const MetricSet& set : plan.sets) all.insert(set.metrics.begin(), set.metrics.end());
  return all;
}

int runs_of(const MetricPlan& plan, const std::string& set) {
  return static_cast<int>(std::count_if(
      plan.sets.begin(), plan.sets.end(),
      [&](const MetricSet& one) { return one.name == set || one.name.rfind(set + ".", 0) == 0; }));
}

/// A chip whose runs hold `room` metrics, names that begin with "wide" needing two passes alone.
std::optional<int> fake_passes(const Metrics& metrics, std::size_t room) {
  int passes = static_cast<int>((metrics.size() + room - 1) / room);
  for (const std::string& metric : metrics)
    if (metric.rfind("wide", 0) == 0) passes = std::max(passes, 2);
  for (const std::string& metric : metrics)
    if (metric == "unknown") return std::nullopt;
  return passes;
}

}  // namespace

TEST_CASE("a plan of the table counts every quantity, each set in one pass of the program") {
  for (const Chip& chip : chips().chips)
    for (const std::string& traffic : traffic_words) {
      PlanOptions options = by_table();
      options.traffic = traffic;
      options.all_tensor = true;
      const MetricPlan plan = plan_of(chip.name, options);
      CAPTURE(chip.name, traffic);
      CHECK_FALSE(plan.planned_by_host_api);
      const auto metrics = metrics_of(plan);
      for (const MetricFormula& formula : chip.formulas)
        for (const MetricTerm& term : formula.sum)
          if (formula.traffic.empty() || formula.traffic == traffic)
            CHECK(metrics.count(term.metric) == 1);
          else if (formula.traffic == "import")
            CHECK(metrics.count(term.metric) == 0);
      for (const std::string& metric : chip.probe) CHECK(metrics.count(metric) == 1);
      CHECK(runs_of(plan, "sass") == 1);
      for (const MetricSet& set : plan.sets) {
        const bool ncu_on_a100 = chip.name == "GA100" && traffic == "ncu";
        CHECK((set.passes == 1 || ncu_on_a100));
        CHECK(set.only_if_tensor == (set.name.rfind("tensor", 0) == 0));
        if (set.name.rfind("sass", 0) != 0) CHECK(set.metrics.front() == "gpu__time_duration.sum");
      }
    }
}

TEST_CASE("runs that a plan of the usual metrics takes") {
  CHECK(runs_of(plan_of("GH100", by_table()), "hw") == 1);
  CHECK(runs_of(plan_of("GA100", by_table()), "hw") == 1);
  CHECK(runs_of(plan_of("TU102", by_table()), "hw") == 2);
  CHECK(runs_of(plan_of("GB100", by_table()), "hw") == 1);
  CHECK(runs_of(plan_of("GB100", by_table()), "tensor") == 3);
  CHECK(runs_of(plan_of("TU117", by_table()), "tensor") == 0);
}

TEST_CASE("only the types that are asked for are planned") {
  PlanOptions options = by_table();
  options.tensor = {"bf16"};
  const MetricPlan plan = plan_of("GH100", options);
  CHECK(runs_of(plan, "tensor") == 1);
  const auto metrics = metrics_of(plan);
  CHECK(metrics.count("sm__ops_path_tensor_src_bf16_dst_fp32.sum") == 1);
  CHECK(metrics.count("sm__ops_path_tensor_src_fp8.sum") == 0);
}

TEST_CASE("what can't be planned is one line with what there is") {
  const auto line = [](const std::string& chip, const PlanOptions& options) {
    const auto plan = plan_metrics(chip, options);
    REQUIRE_FALSE(plan);
    const std::string text = to_line(plan.error());
    CHECK(text.find('\n') == std::string::npos);
    return text;
  };
  CHECK(line("gh100", by_table()).find("GH100") != std::string::npos);
  PlanOptions options = by_table();
  options.tensor = {"f17"};
  CHECK(line("GH100", options).find("bf16") != std::string::npos);
  options = by_table();
  options.traffic = "all";
  CHECK(line("GH100", options).find("nersc") != std::string::npos);
  options = by_table();
  options.tables = "/nowhere";
  CHECK(line("GH100", options).find("/nowhere/chips.json") != std::string::npos);
}

TEST_CASE("packing: first fit, taken apart where it must be, and what is optional never costs") {
  const PassesOf passes = [](const Metrics& metrics) { return fake_passes(metrics, 3); };
  const auto runs =
      pack_runs({{{"a", "b"}}, {{"c", "d"}}, {{"f"}, true}, {{"g"}, true}}, {"t"}, passes);
  REQUIRE(runs.size() == 2);
  CHECK(runs[0].metrics == Metrics{"t", "a", "b"});
  CHECK(runs[1].metrics == Metrics{"t", "c", "d"});
  // "e" opens a third run only where no other has room.
  const auto more = pack_runs({{{"a", "b"}}, {{"c", "d"}}, {{"e"}}}, {}, passes);
  REQUIRE(more.size() == 2);
  CHECK(more[0].metrics == Metrics{"a", "b", "e"});
  const auto apart = pack_runs({{{"a", "b", "c", "d"}}}, {}, passes);
  REQUIRE(apart.size() == 2);
  CHECK(apart[0].metrics == Metrics{"a", "b", "c"});
  const auto wide = pack_runs({{{"wide", "a"}}, {{"b"}}}, {"t"}, passes);
  REQUIRE(wide.size() == 2);
  CHECK(wide[0].metrics.back() == "wide");
  CHECK(wide[0].passes == 2);
  CHECK(wide[1].passes == 1);
  CHECK(pack_runs({{{"unknown"}}}, {}, passes).empty());
}

#include "metric_plan.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "analysis/record/install_paths.hpp"
#include "host_api.hpp"
#include "pass_table.hpp"

namespace roofmark::cupti {
namespace {

bool lists(const std::vector<std::string>& all, const std::string& one) {
  return std::find(all.begin(), all.end(), one) != all.end();
}

Result<std::vector<std::string>> types_to_count(const Chip& chip, const ChipTable& table,
                                                const PlanOptions& options) {
  const std::vector<std::string> known = tensor_types(chip, table.usual_tensor);
  std::vector<std::string> types;
  if (options.tensor.empty()) {
    for (const std::string& type : known)
      if (options.all_tensor || lists(table.usual_tensor, type)) types.push_back(type);
    return types;
  }
  for (const std::string& type : options.tensor)
    if (!lists(known, type))
      return tl::unexpected(
          Problem{fmt::format("{} does not count tensor operations of type `{}`", chip.name, type),
                  "--tensor",
                  known.empty() ? "it has no tensor units"
                                : fmt::format("it counts {}", fmt::join(known, ", "))});
  // In the order of the table, so that the runs are those that it was packed for.
  for (const std::string& type : known)
    if (lists(options.tensor, type)) types.push_back(type);
  return types;
}

/// Runs of the table, with what is asked for alone: fewer metrics never take more passes.
std::vector<PackedRun> runs_of_table(const PassGroup& group, const std::string& key,
                                     const std::vector<PackedItem>& items,
                                     const Metrics& every_run) {
  std::vector<PackedRun> runs;
  const auto found = group.runs.find(key);
  if (found == group.runs.end()) return runs;
  const auto wanted = [&](const std::string& metric) {
    return std::any_of(items.begin(), items.end(),
                       [&](const PackedItem& item) { return lists(item.metrics, metric); });
  };
  for (PackedRun run : found->second) {
    if (std::none_of(run.metrics.begin(), run.metrics.end(), wanted)) continue;
    run.metrics.erase(std::remove_if(run.metrics.begin(), run.metrics.end(),
                                     [&](const std::string& metric) {
                                       return !wanted(metric) && !lists(every_run, metric);
                                     }),
                      run.metrics.end());
    runs.push_back(std::move(run));
  }
  return runs;
}

void add_sets(MetricPlan& plan, const std::string& set, const std::vector<PackedRun>& runs) {
  int number = 0;
  for (const PackedRun& run : runs) {
    ++number;
    plan.sets.push_back({number == 1 ? set : fmt::format("{}.{}", set, number), run.metrics,
                         run.passes, set == "tensor"});
  }
}

Problem unknown_chip(std::string_view chip, const ChipTable& table) {
  std::vector<std::string> names;
  for (const Chip& known : table.chips) names.push_back(known.name);
  return {fmt::format("there is no table of metrics for chip `{}`", chip), "",
          fmt::format("known are {}", fmt::join(names, ", "))};
}

}  // namespace

Result<MetricPlan> plan_metrics(std::string_view name, const PlanOptions& options) {
  const auto folder =
      options.tables.empty() ? InstallPaths::find().share / "cupti" : options.tables;
  const auto table = load_chip_table(folder);
  if (!table) return tl::unexpected(table.error());
  const Chip* chip = table->chip(name);
  if (chip == nullptr) return tl::unexpected(unknown_chip(name, *table));
  if (!lists(traffic_words, options.traffic))
    return tl::unexpected(Problem{"there is no definition of traffic `" + options.traffic + "`",
                                  "--traffic", "give interface, nersc or ncu"});
  const auto types = types_to_count(*chip, *table, options);
  if (!types) return tl::unexpected(types.error());

  MetricPlan plan;
  plan.chip = chip->name;
  const auto api = options.use_host_api ? HostApi::load()
                                        : tl::unexpected(Problem{"CUPTI was not asked", "", ""});
  if (api && lists(api->chips(), plan.chip)) {
    plan.planned_by_host_api = true;
    plan.planned_by = api->version();
    const PassesOf passes_of = [&](const Metrics& metrics) -> std::optional<int> {
      const auto passes = api->passes(plan.chip, metrics);
      return passes ? std::optional(*passes) : std::nullopt;
    };
    for (const char* set : {"sass", "hw", "tensor"})
      add_sets(
          plan, set,
          pack_runs(items_of(*chip, set, options.traffic, *types), every_run_of(set), passes_of));
    return plan;
  }
  const auto passes = load_pass_table(folder);
  if (!passes) return tl::unexpected(passes.error());
  const PassGroup* group = passes->of_chip(plan.chip);
  if (group == nullptr)
    return tl::unexpected(Problem{"passes.json does not know chip `" + plan.chip + "`",
                                  (folder / "passes.json").string(), "install Roofmark again"});
  plan.planned_by =
      fmt::format("its table, which {} made ({})", passes->made_by,
                  api ? "the CUPTI installed here does not know the chip" : api.error().reason);
  for (const char* set : {"sass", "hw", "tensor"}) {
    const std::string key = set == std::string("hw") ? "hw." + options.traffic : set;
    add_sets(plan, set,
             runs_of_table(*group, key, items_of(*chip, set, options.traffic, *types),
                           every_run_of(set)));
  }
  return plan;
}

}  // namespace roofmark::cupti

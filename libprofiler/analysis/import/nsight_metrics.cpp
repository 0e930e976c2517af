#include "nsight_metrics.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>
#include <vector>

#include "analysis/text/parsing.hpp"
#include "analysis/text/plain_text.hpp"
#include "import_data.hpp"
#include "nsight_value.hpp"

namespace roofmark::import {
namespace {

using Json = nlohmann::json;

/// Ours, and compiled in: a fault in it is a fault of the build.
const Json& names() {
  static const Json json = Json::parse(nsight_text());
  return json;
}

const cupti::ChipTable& chips() {
  static const cupti::ChipTable table = *cupti::chip_table_from_json(chips_text(), "chips.json");
  return table;
}

bool is_duration(const std::string& metric) {
  return metric.find("__time_duration.") != std::string::npos;
}

/// Nothing of a cell that can't be used. No launch lasts for no time.
std::optional<double> value_of(const std::string& metric, const Cell& cell) {
  if (!cell.other.empty() || (is_duration(metric) && !is_time_unit(cell.unit))) return std::nullopt;
  const auto value = metric_value(cell.text, cell.unit);
  return value && is_duration(metric) && *value <= 0 ? std::nullopt : value;
}

std::optional<double> value_at(const Launch& launch, const std::string& metric) {
  const auto found = launch.metrics.find(metric);
  if (found == launch.metrics.end()) return std::nullopt;
  return value_of(metric, found->second);
}

std::optional<double> product(std::optional<double> a, std::optional<double> b) {
  return a && b ? std::optional(*a * *b) : std::nullopt;
}

std::optional<double> cycles_of(const Launch& launch) {
  return product(value_at(launch, nsight_word("count_clock")), time_of(launch));
}

/// As it stands; a sum also from what is counted in a cycle or a second.
std::optional<double> direct(const Launch& launch, const std::string& metric) {
  if (const auto value = value_at(launch, metric)) return value;
  if (!metric.ends_with(".sum")) return std::nullopt;
  if (const auto value =
          product(value_at(launch, metric + ".per_cycle_elapsed"), cycles_of(launch)))
    return value;
  return product(value_at(launch, metric + ".per_second"), time_of(launch));
}

/// Under one of its other names.
std::optional<double> by_alias(const Launch& launch, const std::string& metric) {
  const Json& aliases = names()["aliases"];
  const auto known = aliases.find(metric);
  if (known == aliases.end()) return std::nullopt;
  for (const Json& alias : *known) {
    auto value = direct(launch, alias["metric"].get<std::string>());
    if (alias.value("per_cycle", false)) value = product(value, cycles_of(launch));
    if (value) return *value * alias.value("weight", 1.0);
  }
  return std::nullopt;
}

std::optional<double> any_value(const Launch& launch, const std::string& metric) {
  const auto value = direct(launch, metric);
  return value ? value : by_alias(launch, metric);
}

/// By which names a launch may have it.
std::vector<std::string> names_of(const std::string& metric) {
  std::vector<std::string> all{metric};
  if (const auto known = names()["aliases"].find(metric); known != names()["aliases"].end())
    for (const Json& alias : *known) all.push_back(alias["metric"].get<std::string>());
  const std::size_t own = all.size();
  for (std::size_t i = 0; i < own; ++i)
    for (const char* rate : {".per_cycle_elapsed", ".per_second"})
      if (all[i].ends_with(".sum")) all.push_back(all[i] + rate);
  return all;
}

/// A cell with something in it that can't be read.
std::optional<UnusableValue> unusable_cell(const std::string& metric, const Cell& cell) {
  if (text::trimmed(cell.text).empty() || value_of(metric, cell)) return std::nullopt;
  std::string shown = "`" + text::elided(text::printable(cell.text), 40) + "`";
  if (!cell.other.empty())
    shown += " and `" + text::elided(text::printable(cell.other), 40) + "`";
  else if (cell.unit.empty() && is_duration(metric))
    shown += " without a unit";
  else if (!cell.unit.empty() &&
           (!unit_factor(cell.unit) || (is_duration(metric) && !is_time_unit(cell.unit))))
    shown += " in the unit `" + text::elided(text::printable(cell.unit), 20) + "`";
  return UnusableValue{metric, shown, cell.line};
}

void put(std::map<std::string, double>& values, const Launch& launch, const std::string& metric) {
  auto value = any_value(launch, metric);
  if (!value) return;
  // Times of the table were made seconds when they were read; CUPTI counts nanoseconds.
  constexpr double nanoseconds = 1e9;
  values[metric] = is_duration(metric) ? *value * nanoseconds : *value;
}

}  // namespace

std::string nsight_word(const char* key) {
  return names()[key].get<std::string>();
}

std::set<std::string> nsight_levels() {
  return names()["levels"].get<std::set<std::string>>();
}

ChipOfTable chip_for(const std::string& compute_capability) {
  if (const cupti::Chip* chip = chips().of_capability(compute_capability)) return {chip, ""};
  const bool none = compute_capability.empty();
  const cupti::Chip* chip =
      chips().chip(nsight_word(none ? "chip_without_capability" : "chip_of_tomorrow"));
  return {chip, (none ? "The table has no compute capability"
                      : "Compute capability " + compute_capability + " is not known") +
                    std::string(": its metrics were read as those of ") + chip->family + "."};
}

std::optional<double> time_of(const Launch& launch) {
  for (const Json& metric : names()["time"])
    if (const auto time = value_at(launch, metric.get<std::string>())) return time;
  return std::nullopt;
}

bool has_value(const Launch& launch, const std::string& metric) {
  return any_value(launch, metric).has_value();
}

std::optional<UnusableValue> unusable_value(const Launch& launch, const std::string& metric) {
  if (has_value(launch, metric)) return std::nullopt;
  for (const std::string& name : names_of(metric))
    if (const auto cell = launch.metrics.find(name); cell != launch.metrics.end())
      if (auto value = unusable_cell(name, cell->second)) return value;
  return std::nullopt;
}

TensorUse tensor_use(const Launch& launch) {
  TensorUse use;
  for (const auto& [metric, cell] : launch.metrics) {
    const bool is_tensor = metric.find("pipe_tensor") != std::string::npos ||
                           metric.find("path_tensor") != std::string::npos;
    if (!is_tensor || metric.find(".peak_sustained") != std::string::npos) continue;
    if (const auto value = value_of(metric, cell))
      use.most = std::max(use.most.value_or(0), *value);
    else if (!use.unusable)
      use.unusable = unusable_cell(metric, cell);
  }
  return use;
}

std::map<std::string, double> values_of(const Launch& launch, const cupti::Chip& chip) {
  std::map<std::string, double> values;
  for (const cupti::MetricFormula& formula : chip.formulas)
    for (const cupti::MetricTerm& term : formula.sum) put(values, launch, term.metric);
  for (const std::string& metric : chip.probe) put(values, launch, metric);
  for (const cupti::PeakFormula& peak : chip.peaks) {
    put(values, launch, peak.per_cycle.metric);
    put(values, launch, peak.clock);
  }
  return values;
}

}  // namespace roofmark::import

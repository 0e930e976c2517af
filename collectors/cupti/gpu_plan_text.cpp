#include "gpu_plan_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "analysis/text/plain_text.hpp"
#include "analysis/text/text_table.hpp"

namespace roofmark::cupti {
namespace {

using OrderedJson = nlohmann::ordered_json;

std::string dumped(const OrderedJson& json) {
  return json.dump(1, ' ', false, OrderedJson::error_handler_t::replace) + "\n";
}

bool has(const std::vector<std::string>& all, const std::string& one) {
  return std::find(all.begin(), all.end(), one) != all.end();
}

/// Whether each metric of the formula is in some run of the plan.
bool is_planned(const MetricFormula& formula, const MetricPlan& plan) {
  return std::all_of(formula.sum.begin(), formula.sum.end(), [&](const MetricTerm& term) {
    return std::any_of(plan.sets.begin(), plan.sets.end(),
                       [&](const MetricSet& set) { return has(set.metrics, term.metric); });
  });
}

std::vector<const MetricFormula*> planned(const Chip& chip, const MetricPlan& plan,
                                          const std::string& traffic) {
  std::vector<const MetricFormula*> all;
  for (const MetricFormula& formula : chip.formulas)
    if ((formula.traffic.empty() || formula.traffic == traffic) && is_planned(formula, plan))
      all.push_back(&formula);
  return all;
}

bool is_in(const MetricFormula& formula, const MetricSet& set) {
  return std::any_of(formula.sum.begin(), formula.sum.end(),
                     [&](const MetricTerm& term) { return has(set.metrics, term.metric); });
}

std::string weighted(double weight, const std::string& metric) {
  const double size = std::abs(weight);
  return (weight < 0 ? "- " : "") + (size == 1 ? "" : fmt::format("{:g} ", size)) + metric;
}

std::string plural(std::size_t count, const std::string& noun, const std::string& nouns) {
  return fmt::format("{} {}", count, count == 1 ? noun : nouns);
}

std::string heading(const MetricSet& set) {
  std::string text =
      fmt::format("{}: {}, {}", set.name, plural(set.metrics.size(), "metric", "metrics"),
                  plural(static_cast<std::size_t>(set.passes), "pass", "passes"));
  if (set.passes > 1) text += "; not countable in a plain run: --replay kernel";
  if (set.only_if_tensor) text += "; only where tensor units did something";
  return text;
}

/// Metrics of the run that no quantity names: probes and the device's peaks.
std::vector<std::string> others(const MetricSet& set,
                                const std::vector<const MetricFormula*>& formulas) {
  std::vector<std::string> left;
  for (const std::string& metric : set.metrics) {
    const bool named =
        std::any_of(formulas.begin(), formulas.end(), [&](const MetricFormula* formula) {
          return std::any_of(formula->sum.begin(), formula->sum.end(),
                             [&](const MetricTerm& term) { return term.metric == metric; });
        });
    if (!named) left.push_back(metric);
  }
  return left;
}

std::string formula_text(const MetricFormula& formula, const MetricSet& set) {
  std::string text = "  " + formula.quantity;
  if (formula.source != "measured") text += " (" + formula.source + ")";
  text += "\n";
  bool whole = true;
  for (const MetricTerm& term : formula.sum)
    if (has(set.metrics, term.metric))
      text += "    " + weighted(term.weight, term.metric) + "\n";
    else
      whole = false;
  return text + (whole ? "" : "    and what other runs count of it\n");
}

std::string set_text(const Chip& chip, const MetricSet& set,
                     const std::vector<const MetricFormula*>& formulas) {
  std::string text = heading(set) + "\n";
  for (const MetricFormula* formula : formulas) {
    // The time of a kernel is in each run, to weight its launches by.
    const bool repeated = formula->quantity == "time" && set.name != formula->set;
    if (is_in(*formula, set) && !repeated) text += formula_text(*formula, set);
  }
  std::vector<std::string> probes, peaks;
  for (const std::string& metric : others(set, formulas))
    (has(chip.probe, metric) ? probes : peaks).push_back(metric);
  if (!probes.empty()) text += "  did tensor units do anything\n";
  for (const std::string& metric : probes) text += "    " + metric + "\n";
  if (!peaks.empty())
    text += "  peaks of the device, which cost no pass, and what goes with them\n";
  for (const std::string& metric : peaks) text += "    " + metric + "\n";
  return text;
}

OrderedJson not_counted_json(const Chip& chip) {
  OrderedJson all = OrderedJson::array();
  for (const NotCounted& entry : chip.not_counted)
    all.push_back({{"quantity", entry.quantity}, {"reason", entry.reason}, {"fix", entry.fix}});
  return all;
}

void put_identity(OrderedJson& json, const Chip& chip) {
  json["chip"] = chip.name;
  json["family"] = chip.family;
  json["compute_capability"] = chip.compute_capability;
  json["integrated"] = chip.integrated;
  json["collected"] = chip.not_collected.empty();
  if (!chip.not_collected.empty()) {
    json["reason"] = chip.not_collected;
    json["fix"] = chip.not_collected_fix;
  }
}

}  // namespace

std::string chips_text(const ChipTable& chips, const PlanPage& page) {
  text::TextTable table({{"Chip", false},
                         {"Family", false, 40, 0, true},
                         {"CC"},
                         {"Memory", false},
                         {"Counted", false}});
  for (const Chip& chip : chips.chips)
    table.add({{chip.name, ""},
               {chip.family, ""},
               {chip.compute_capability, ""},
               {chip.integrated ? "the host's" : "its own", ""},
               {chip.not_collected.empty() ? "yes" : "no", ""}});
  std::string out = table.render(page.width, page.utf8, false);
  for (const Chip& chip : chips.chips)
    if (!chip.not_collected.empty())
      out += text::indented(chip.name + ": " + chip.not_collected + "; " + chip.not_collected_fix,
                            0, 2, page.width);
  out += "`roofmark gpu plan --chip CHIP` lists what is counted, and how.\n";
  return out;
}

std::string chips_json(const ChipTable& chips) {
  OrderedJson json = {{"schema", "roofmark-gpu-chips-list/1"}, {"chips", OrderedJson::array()}};
  for (const Chip& chip : chips.chips) {
    OrderedJson item;
    put_identity(item, chip);
    json["chips"].push_back(std::move(item));
  }
  return dumped(json);
}

std::string plan_text(const Chip& chip, const MetricPlan& plan, const std::string& traffic,
                      const PlanPage& page) {
  const auto formulas = planned(chip, plan, traffic);
  std::string out = fmt::format("{} ({}, compute capability {})\n", chip.name, chip.family,
                                chip.compute_capability);
  out += text::indented("Planned by " + plan.planned_by + ".", 0, 2, page.width);
  if (!chip.not_collected.empty())
    out += text::indented(
        "Not counted by record: " + chip.not_collected + "; " + chip.not_collected_fix + ".", 0, 2,
        page.width);
  out += text::indented(
      "The program runs once for the times of its kernels, and once for each set of metrics:", 0, 0,
      page.width);
  for (const MetricSet& set : plan.sets) out += "\n" + set_text(chip, set, formulas);
  std::vector<std::string> caveats;
  for (const MetricFormula* formula : formulas)
    for (const std::string& caveat : formula->caveats)
      if (!has(caveats, caveat)) caveats.push_back(caveat);
  if (!caveats.empty()) out += "\nNotes\n";
  for (const std::string& caveat : caveats) out += text::indented(caveat, 2, 4, page.width);
  if (!chip.not_counted.empty()) out += "\nNot counted\n";
  for (const NotCounted& entry : chip.not_counted)
    out += text::indented(
        entry.quantity + ": " + entry.reason + (entry.fix.empty() ? "" : "; " + entry.fix), 2, 4,
        page.width);
  return out;
}

std::string plan_json(const Chip& chip, const MetricPlan& plan, const std::string& traffic) {
  OrderedJson json = {{"schema", "roofmark-gpu-plan-list/1"}};
  put_identity(json, chip);
  json["planned_by"] = plan.planned_by;
  json["host_api"] = plan.planned_by_host_api;
  json["traffic"] = traffic;
  json["sets"] = OrderedJson::array();
  for (const MetricSet& set : plan.sets)
    json["sets"].push_back({{"name", set.name},
                            {"passes", set.passes},
                            {"only_if_tensor", set.only_if_tensor},
                            {"metrics", set.metrics}});
  json["quantities"] = OrderedJson::array();
  for (const MetricFormula* formula : planned(chip, plan, traffic)) {
    OrderedJson item = {{"quantity", formula->quantity}, {"source", formula->source}};
    item["sum"] = OrderedJson::array();
    for (const MetricTerm& term : formula->sum)
      item["sum"].push_back({{"metric", term.metric}, {"weight", term.weight}});
    item["caveats"] = formula->caveats;
    json["quantities"].push_back(std::move(item));
  }
  json["probe"] = chip.probe;
  json["not_counted"] = not_counted_json(chip);
  return dumped(json);
}

}  // namespace roofmark::cupti

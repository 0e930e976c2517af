#include "kernel_counts.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "chip_table.hpp"

namespace roofmark::cupti {
namespace {

using Values = std::map<std::string, double>;

std::string kind_of(const std::string& quantity) {
  return quantity.substr(0, quantity.find('.'));
}

/// "flop.f64" -> "f64"; "bytes.HBM.read" -> "HBM".
std::string part_of(const std::string& quantity) {
  const std::size_t dot = quantity.find('.');
  if (dot == std::string::npos) return {};
  return quantity.substr(dot + 1, quantity.find('.', dot + 1) - dot - 1);
}

/// "bytes.HBM.read" -> "read".
std::string direction_of(const std::string& quantity) {
  return quantity.substr(quantity.rfind('.') + 1);
}

/// The metric that is not there, or is no number; empty where all are.
std::string lacking(const MetricFormula& formula, const Values& values) {
  for (const MetricTerm& term : formula.sum) {
    const auto found = values.find(term.metric);
    if (found == values.end() || !std::isfinite(found->second)) return term.metric;
  }
  return {};
}

double value_of(const MetricFormula& formula, const Values& values) {
  double sum = 0;
  for (const MetricTerm& term : formula.sum) sum += term.weight * values.at(term.metric);
  return sum;
}

class Counting {
 public:
  Counting(const Chip& chip, const Values& values, const std::string& traffic)
      : chip_(chip), values_(values), traffic_(traffic) {}

  KernelCounts take() {
    for (const MetricFormula& formula : chip_.formulas)
      if (kind_of(formula.quantity) != "bytes") add(formula);
    for (const std::string& level : levels()) add_level(level);
    used_tensor_units();
    for (const NotCounted& entry : chip_.not_counted)
      counts_.missing.push_back({entry.quantity, entry.reason, entry.fix});
    return std::move(counts_);
  }

 private:
  void add(const MetricFormula& formula) {
    const std::string metric = lacking(formula, values_);
    if (!metric.empty()) {
      // Tensor types are counted only where the program used them: see used_tensor_units.
      if (formula.set != "tensor") miss(formula.quantity, metric);
      return;
    }
    const double value = value_of(formula, values_);
    const std::string kind = kind_of(formula.quantity), part = part_of(formula.quantity);
    if (kind == "flop") counts_.flop[part] = value;
    if (kind == "tensor") counts_.tensor[part] = value;
    if (kind == "op") counts_.op[part] = value;
    // A clock of zero is that of a unit that slept through the kernel.
    if (formula.quantity == "clock.sm" && value > 0) counts_.sm_clock_hz = value;
    if (formula.quantity == "clock.dram" && value > 0) counts_.dram_clock_hz = value;
    if (formula.quantity == "time" && value > 0) counts_.time_s = value;
    // Types that did nothing say nothing that a reader has to know.
    if (kind != "tensor" || value > 0) say(formula, formula.quantity);
  }

  std::vector<std::string> levels() const {
    std::vector<std::string> all;
    for (const MetricFormula& formula : chip_.formulas) {
      const std::string level = part_of(formula.quantity);
      if (kind_of(formula.quantity) == "bytes" &&
          std::find(all.begin(), all.end(), level) == all.end())
        all.push_back(level);
    }
    return all;
  }

  std::vector<const MetricFormula*> formulas_of(const std::string& level,
                                                const std::string& traffic) const {
    std::vector<const MetricFormula*> all;
    for (const MetricFormula& formula : chip_.formulas)
      if (kind_of(formula.quantity) == "bytes" && part_of(formula.quantity) == level &&
          formula.traffic == traffic)
        all.push_back(&formula);
    return all;
  }

  /// The first definition of which all metrics are there; both directions or none.
  void add_level(const std::string& level) {
    std::string lacks;
    // What no plan asks for comes last: other tools' tables have it.
    for (const std::string& traffic :
         {std::string(), traffic_, std::string("interface"), std::string("nersc"),
          std::string("ncu"), std::string("import")}) {
      const auto formulas = formulas_of(level, traffic);
      if (formulas.empty()) continue;
      std::string metric;
      for (const MetricFormula* formula : formulas)
        if (metric.empty()) metric = lacking(*formula, values_);
      if (lacks.empty()) lacks = metric;
      if (!metric.empty()) continue;
      LevelBytes& bytes = counts_.bytes[level];
      for (const MetricFormula* formula : formulas) {
        // Differences of counters that were not read in the same moment may fall below zero.
        const double value = std::max(value_of(*formula, values_), 0.0);
        const std::string direction = direction_of(formula->quantity);
        (direction == "read"    ? bytes.read
         : direction == "write" ? bytes.write
                                : bytes.total) = value;
        say(*formula, "bytes." + level);
      }
      return;
    }
    miss("bytes." + level, lacks);
  }

  void used_tensor_units() {
    double instructions = 0;
    bool known = true;
    for (const std::string& metric : chip_.probe) {
      const auto found = values_.find(metric);
      known = known && found != values_.end();
      if (found != values_.end()) instructions += found->second;
    }
    // A chip without a probe has no tensor units. One part of the probe that saw work is enough.
    if (known || instructions > 0) counts_.used_tensor_units = instructions > 0;
    if (!counts_.used_tensor_units.value_or(false)) return;
    const bool all_zero =
        std::all_of(counts_.tensor.begin(), counts_.tensor.end(),
                    [](const auto& operations) { return operations.second <= 0; });
    if (!all_zero) return;
    counts_.missing.push_back(
        {"tensor",
         counts_.tensor.empty() ? "it used tensor units, whose operations were not counted"
                                : "it used tensor units with a type that was not counted",
         counts_.tensor.empty() ? "count a set of tensor types" : "ask for all tensor types"});
  }

  void miss(const std::string& quantity, const std::string& metric) {
    counts_.missing.push_back({quantity, metric + " was not counted", "ask for " + metric});
  }

  void say(const MetricFormula& formula, const std::string& quantity) {
    if (formula.source != counts_.source) counts_.sources[quantity] = formula.source;
    for (const std::string& caveat : formula.caveats)
      if (std::find(counts_.caveats.begin(), counts_.caveats.end(), caveat) ==
          counts_.caveats.end())
        counts_.caveats.push_back(caveat);
  }

  const Chip& chip_;
  const Values& values_;
  const std::string& traffic_;
  KernelCounts counts_;
};

}  // namespace

KernelCounts counts_of(const Chip& chip, const std::map<std::string, double>& values,
                       const std::string& traffic) {
  return Counting(chip, values, traffic).take();
}

}  // namespace roofmark::cupti

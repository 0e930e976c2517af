#include "nsight_kernel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <analysis/join/gpu_counts.hpp>
#include <analysis/profile/count_sum.hpp>
#include <analysis/text/parsing.hpp>
#include <numeric>

#include "collectors/cupti/kernel_counts.hpp"
#include "nsight_metrics.hpp"

namespace roofmark::import {
namespace {

class Kernel {
 public:
  Kernel(const std::vector<const Launch*>& launches, const NsightSource& source)
      : launches_(launches), source_(source) {
    for (const Launch* launch : launches_) {
      cupti::GpuRange range;
      range.launches = 1;
      range.metrics = values_of(*launch, source_.chip);
      metrics_.add(range);
    }
    // What one launch lacks is no sum of all of them.
    for (const std::string& metric : metrics_.lacking) metrics_.values.erase(metric);
  }

  Region region() {
    region_.path = {launches_.front()->kernel};
    region_.visits = launches_.size();
    put_facts();
    put_times();
    const cupti::KernelCounts counts =
        cupti::counts_of(source_.chip, metrics_.values, nsight_word("traffic"));
    put_flop(counts);
    put_bytes(counts);
    if (counts.sm_clock_hz)
      region_.clock_hz = Measure{*counts.sm_clock_hz, Source::measured, {}, {}};
    region_.self = region_.work;
    return std::move(region_);
  }

 private:
  static std::string ask() { return nsight_word("ask"); }

  void miss(const std::string& quantity, const std::string& reason, const std::string& fix) {
    region_.missing.push_back({quantity, reason, fix});
  }

  void put_facts() {
    KernelFacts facts;
    facts.device = launches_.front()->device;
    facts.symbol = launches_.front()->kernel;
    facts.grid = shape_of(launches_.front()->grid);
    facts.block = shape_of(launches_.front()->block);
    facts.shapes_differ = std::any_of(launches_.begin(), launches_.end(), [&](const Launch* one) {
      return shape_of(one->grid) != facts.grid || shape_of(one->block) != facts.block;
    });
    region_.kernel = std::move(facts);
  }

  void put_times() {
    std::vector<double> times;
    for (const Launch* launch : launches_)
      if (const auto time = time_of(*launch)) times.push_back(*time);
    if (times.size() != launches_.size()) {
      miss_metrics("time.wall", {"gpu__time_duration.sum"},
                   "gpu__time_duration is not in the table");
      return;
    }
    const double sum = std::accumulate(times.begin(), times.end(), 0.0);
    region_.work.wall_s = Measure{sum, Source::measured, {}, {}};
    region_.visit_s = times_of_launches(std::move(times));
  }

  Count count_of(const cupti::KernelCounts& counts, const std::string& quantity,
                 double value) const {
    Count count;
    count.value = rounded_count(value);
    const auto source = counts.sources.find(quantity);
    count.source =
        parse_word<Source>(source == counts.sources.end() ? counts.source : source->second)
            .value_or(Source::measured);
    count.collector = "ncu";
    count.scope = Scope::device;
    return count;
  }

  void put_flop(const cupti::KernelCounts& counts) {
    const TensorWork tensor = tensor_work();
    // Their FLOPs are most of such a kernel's: the others alone would place it far too low.
    if (tensor.used) {
      miss("flop", "it used tensor units, whose operations are not imported",
           "look at it in Nsight Compute's own roofline");
      return;
    }
    for (const auto& [name, value] : counts.flop)
      if (const auto precision = parse_word<Precision>(name))
        region_.work.flop[*precision] = count_of(counts, "flop." + name, value);
    for (const cupti::MetricFormula& formula : source_.chip.formulas)
      if (formula.quantity.starts_with("flop.") &&
          counts.flop.count(formula.quantity.substr(5)) == 0)
        miss_formula(formula.quantity,
                     "the table does not have all instructions of this precision");
    if (!tensor.why_unknown.empty())
      miss("tensor", tensor.why_unknown,
           "ncu --set roofline --metrics " + source_.chip.probe.front() + " -o REPORT ./app");
    if (region_.work.flop.empty())
      miss("flop", "no precision was counted whole, and a utilisation in percent is no count",
           ask());
  }

  void put_bytes(const cupti::KernelCounts& counts) {
    for (const std::string& level : source_.levels) {
      const auto bytes = counts.bytes.find(level);
      const std::string quantity = "bytes." + level;
      if (bytes == counts.bytes.end()) {
        miss_formula(quantity, "the table has no metric of it");
        continue;
      }
      Traffic& traffic = region_.work.bytes[level];
      const auto put = [&](std::optional<Count>& place, const std::optional<double>& value) {
        if (value) place = count_of(counts, quantity, *value);
      };
      put(traffic.read, bytes->second.read);
      put(traffic.write, bytes->second.write);
      put(traffic.total, bytes->second.total);
    }
  }

  struct TensorWork {
    bool used = false;
    std::string why_unknown;  ///< empty: every launch tells
  };

  /// Wider than the chip's own probe: versions have counted them by many names.
  TensorWork tensor_work() const {
    TensorWork all;
    std::size_t telling = 0;
    std::string unusable;
    for (const Launch* launch : launches_) {
      const TensorUse use = tensor_use(*launch);
      all.used = all.used || use.most.value_or(0) > 0;
      telling += use.most ? 1 : 0;
      if (unusable.empty() && !use.most && use.unusable) unusable = unusable_text(*use.unusable);
    }
    // A chip without a probe has no tensor units.
    if (all.used || telling == launches_.size() || source_.chip.probe.empty()) return all;
    if (!unusable.empty())
      all.why_unknown = "whether tensor units worked is not known: " + unusable;
    else if (telling == 0)
      all.why_unknown = "whether tensor units worked is not in the table";
    else
      all.why_unknown = fmt::format("{} of its {} launches do not tell whether tensor units worked",
                                    launches_.size() - telling, launches_.size());
    return all;
  }

  std::string unusable_text(const UnusableValue& value) const {
    return fmt::format("{}, line {}: {} is {}, which is no count", source_.file, value.line,
                       value.metric, value.shown);
  }

  /// Of the formulas of a quantity: a value that can't be used, a metric that only some launches
  /// have, or what there is not.
  void miss_formula(const std::string& quantity, const std::string& otherwise) {
    std::vector<std::string> metrics;
    for (const cupti::MetricFormula& formula : source_.chip.formulas)
      if (formula.quantity == quantity || formula.quantity.starts_with(quantity + "."))
        for (const cupti::MetricTerm& term : formula.sum) metrics.push_back(term.metric);
    miss_metrics(quantity, metrics, otherwise);
  }

  void miss_metrics(const std::string& quantity, const std::vector<std::string>& metrics,
                    const std::string& otherwise) {
    for (const std::string& metric : metrics)
      for (const Launch* launch : launches_)
        if (const auto value = unusable_value(*launch, metric)) {
          miss(quantity, unusable_text(*value), ask_for(metric));
          return;
        }
    for (const std::string& metric : metrics) {
      const auto lacking =
          std::count_if(launches_.begin(), launches_.end(),
                        [&](const Launch* launch) { return !has_value(*launch, metric); });
      if (lacking == 0 || static_cast<std::size_t>(lacking) == launches_.size()) continue;
      miss(quantity,
           fmt::format("{} of its {} launches have no value of {}", lacking, launches_.size(),
                       metric),
           ask_for(metric));
      return;
    }
    miss(quantity, otherwise, ask());
  }

  static std::string ask_for(const std::string& metric) {
    return "ncu --set roofline --metrics " + metric + " -o REPORT ./app";
  }

  const std::vector<const Launch*>& launches_;
  const NsightSource& source_;
  GpuMetrics metrics_;
  Region region_;
};

}  // namespace

Region kernel_of(const std::vector<const Launch*>& launches, const NsightSource& source) {
  return Kernel(launches, source).region();
}

std::array<std::uint32_t, 3> shape_of(const std::string& text) {
  std::array<std::uint32_t, 3> shape{};
  std::size_t axis = 0;
  std::string digits;
  // A comma alone is a thousands separator, one before a blank is the next axis.
  for (std::size_t i = 0; i <= text.size() && axis < shape.size(); ++i) {
    const char c = i < text.size() ? text[i] : ')';
    if (c >= '0' && c <= '9') {
      digits += c;
    } else if (c == ')' || (c == ',' && i + 1 < text.size() && text[i + 1] == ' ')) {
      shape[axis++] = text::whole_number<std::uint32_t>(digits).value_or(0);
      digits.clear();
      if (c == ')') break;
    }
  }
  return shape;
}

}  // namespace roofmark::import

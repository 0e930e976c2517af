#include "gpu_counts.hpp"

#include <algorithm>
#include <analysis/profile/count_sum.hpp>
#include <cmath>
#include <collectors/cupti/kernel_counts.hpp>
#include <numeric>

namespace roofmark {
namespace {

bool ends_with(const std::string& text, std::string_view end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

/// All sets' values together, sums brought to `launches` where that is given.
std::map<std::string, double> values_of(const GpuMetricsBySet& sets, std::uint64_t launches) {
  std::map<std::string, double> all;
  for (const auto& [set, metrics] : sets) {
    const double factor =
        launches > 0 && metrics.launches > 0
            ? static_cast<double>(launches) / static_cast<double>(metrics.launches)
            : 1;
    for (const auto& [name, value] : metrics.values)
      if (metrics.lacking.count(name) == 0)
        all.emplace(name, is_sum(name) ? value * factor : value);
  }
  return all;
}

class KernelFiller {
 public:
  KernelFiller(const cupti::KernelCounts& counts, const cupti::KernelCounts& unscaled)
      : counts_(counts), unscaled_(unscaled) {}

  Count count(const std::string& quantity, double value, std::optional<double> as_counted) const {
    Count made;
    made.value = rounded_count(value);
    made.collector = "cupti";
    made.scope = Scope::device;
    const auto source = counts_.sources.find(quantity);
    const std::string word = source == counts_.sources.end() ? counts_.source : source->second;
    made.source = parse_word<Source>(word).value_or(Source::measured);
    if (as_counted && rounded_count(*as_counted) != made.value) {
      made.low = std::min(made.value, rounded_count(*as_counted));
      made.high = std::max(made.value, rounded_count(*as_counted));
      made.caveats.push_back(
          "launches differ between runs: per launch, times those that were timed");
    }
    return made;
  }

  void fill(Work& work) const {
    for (const auto& [name, value] : counts_.flop)
      if (const auto precision = parse_word<Precision>(name))
        work.flop[*precision] = count("flop." + name, value, at(unscaled_.flop, name));
    for (const auto& [name, value] : counts_.tensor)
      work.tensor[name] = count("tensor." + name, value, at(unscaled_.tensor, name));
    for (const auto& [name, value] : counts_.op)
      work.operations["op." + name] = count("op." + name, value, at(unscaled_.op, name));
    for (const auto& [level, bytes] : counts_.bytes) {
      const auto other = unscaled_.bytes.find(level);
      const cupti::LevelBytes as_counted =
          other == unscaled_.bytes.end() ? cupti::LevelBytes{} : other->second;
      Traffic& traffic = work.bytes[level];
      const std::string quantity = "bytes." + level;
      if (bytes.read) traffic.read = count(quantity, *bytes.read, as_counted.read);
      if (bytes.write) traffic.write = count(quantity, *bytes.write, as_counted.write);
      if (bytes.total) traffic.total = count(quantity, *bytes.total, as_counted.total);
    }
  }

 private:
  static std::optional<double> at(const std::map<std::string, double>& values,
                                  const std::string& name) {
    const auto found = values.find(name);
    return found == values.end() ? std::nullopt : std::optional(found->second);
  }

  const cupti::KernelCounts& counts_;
  const cupti::KernelCounts& unscaled_;
};

}  // namespace

VisitTimes times_of_launches(std::vector<double> launches_s) {
  VisitTimes visits;
  visits.first = launches_s.front();
  const double count = static_cast<double>(launches_s.size());
  const double mean = std::accumulate(launches_s.begin(), launches_s.end(), 0.0) / count;
  double squares = 0;
  for (const double time : launches_s) squares += (time - mean) * (time - mean);
  visits.stddev = std::sqrt(squares / count);
  std::sort(launches_s.begin(), launches_s.end());
  visits.min = launches_s.front();
  visits.max = launches_s.back();
  visits.median = launches_s[launches_s.size() / 2];
  return visits;
}

bool is_sum(const std::string& metric) {
  return ends_with(metric, ".sum");
}

void GpuMetrics::add(const cupti::GpuRange& range) {
  const double before = static_cast<double>(launches), more = static_cast<double>(range.launches);
  for (const auto& [name, value] : range.metrics) {
    const auto [place, fresh] = values.try_emplace(name, value);
    if (fresh && launches > 0) lacking.insert(name);  // those before had no value of it
    if (fresh) continue;
    double& known = place->second;
    if (is_sum(name))
      known += value;
    else if (ends_with(name, ".max"))
      known = std::max(known, value);
    else if (ends_with(name, ".min"))
      known = std::min(known, value);
    else if (!ends_with(name, ".peak_sustained"))
      known = (known * before + value * more) / (before + more);
  }
  for (const auto& [name, value] : values)
    if (range.metrics.count(name) == 0) lacking.insert(name);
  lacking.insert(range.lacking.begin(), range.lacking.end());
  launches += range.launches;
}

void put_gpu_counts(const cupti::Chip& chip, const GpuMetricsBySet& sets, std::uint64_t launches,
                    Region& kernel, std::set<std::string>& caveats) {
  const bool differ = launches > 0 && std::any_of(sets.begin(), sets.end(), [&](const auto& set) {
                        return set.second.launches != launches;
                      });
  const cupti::KernelCounts counts = cupti::counts_of(chip, values_of(sets, launches));
  const cupti::KernelCounts unscaled = differ ? cupti::counts_of(chip, values_of(sets, 0)) : counts;
  KernelFiller(counts, unscaled).fill(kernel.work);
  if (differ) kernel.flags.insert("visits_differ");
  if (counts.sm_clock_hz) kernel.clock_hz = Measure{*counts.sm_clock_hz, Source::measured, {}, {}};
  for (const cupti::Missing& missing : counts.missing) {
    if (missing.quantity == "tensor") kernel.flags.insert("tensor_uncounted");
    kernel.missing.push_back({missing.quantity, missing.reason, missing.fix});
  }
  caveats.insert(counts.caveats.begin(), counts.caveats.end());
}

}  // namespace roofmark

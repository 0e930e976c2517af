#include "nsight_roof.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "collectors/cupti/ceilings/theory.hpp"
#include "nsight_metrics.hpp"

namespace roofmark::import {
namespace {

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

std::string device_name_of(const Launch& launch) {
  const auto name = launch.metrics.find(nsight_word("device_name"));
  return name == launch.metrics.end() ? "" : name->second.text;
}

/// Vector units, and the interfaces of which tables have bytes.
bool is_imported(const std::string& quantity) {
  if (quantity.starts_with("flop.")) return true;
  const auto levels = nsight_levels();
  return quantity.starts_with("bytes.") && levels.count(quantity.substr(6)) > 0;
}

}  // namespace

Gpu gpu_of_table(const std::vector<Launch>& launches, const cupti::Chip& chip,
                 const std::string& file) {
  const Launch& first = launches.front();
  Gpu gpu;
  gpu.uuid = first.device;
  gpu.compute_capability = first.compute_capability;
  gpu.name = device_name_of(first);
  if (gpu.name.empty()) gpu.name = "GPU of compute capability " + first.compute_capability;
  std::map<std::string, std::vector<double>> all;
  for (const Launch& launch : launches)
    for (const GpuCeiling& ceiling : cupti::derived_ceilings(chip, values_of(launch, chip)))
      if (is_imported(ceiling.quantity)) all[ceiling.quantity].push_back(ceiling.per_s);
  for (auto& [quantity, values] : all) {
    GpuCeiling ceiling;
    ceiling.quantity = quantity;
    ceiling.per_s = median(std::move(values));
    ceiling.source = Source::theoretical;
    gpu.ceilings.push_back(std::move(ceiling));
  }
  for (const cupti::PeakFormula& peak : chip.peaks)
    for (const std::string& metric : {peak.per_cycle.metric, peak.clock}) {
      if (!is_imported(peak.quantity) || all.count(peak.quantity) > 0) continue;
      const auto value = unusable_value(first, metric);
      if (!value) continue;
      gpu.notes.push_back(fmt::format("{}, line {}: {} is {}: it gives no ceiling of {}.", file,
                                      value->line, value->metric, value->shown, peak.quantity));
      break;
    }
  return gpu;
}

Result<Gpu> gpu_of_machine(const Machine& machine, const Launch& launch) {
  const std::string name = device_name_of(launch);
  const auto found = std::find_if(machine.gpus.begin(), machine.gpus.end(), [&](const Gpu& gpu) {
    return gpu.compute_capability == launch.compute_capability &&
           (name.empty() || gpu.name.empty() || gpu.name == name);
  });
  if (found != machine.gpus.end()) {
    Gpu gpu = *found;
    // A table numbers its devices: which of several alike it was is not known.
    gpu.uuid = launch.device;
    return gpu;
  }
  std::string known;
  for (const Gpu& gpu : machine.gpus)
    known += (known.empty() ? "" : ", ") + gpu.name + " (" + gpu.compute_capability + ")";
  return tl::unexpected(
      Problem{"the machine has no GPU like the table's, " + (name.empty() ? "" : name + " ") + "(" +
                  launch.compute_capability + ")",
              "--machine", known.empty() ? "it has none; leave --machine out" : "it has " + known});
}

}  // namespace roofmark::import

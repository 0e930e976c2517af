// Counts of a kernel's launches from several runs, brought to the launches that were timed.
#pragma once

#include <collectors/cupti/chip_table.hpp>
#include <collectors/cupti/results.hpp>
#include <cstdint>
#include <map>
#include <roofmark/profile.hpp>
#include <set>
#include <string>
#include <vector>

namespace roofmark {

/// Values of one set over some launches, as CUPTI's kinds of metrics add up.
struct GpuMetrics {
  std::uint64_t launches = 0;
  std::map<std::string, double> values;
  std::set<std::string> lacking;  ///< that some launch had no value of

  void add(const cupti::GpuRange& range);
};

/// Whether values of launches add up; others are the device's own, means or extremes.
bool is_sum(const std::string& metric);

/// What was counted of a kernel, per set.
using GpuMetricsBySet = std::map<std::string, GpuMetrics>;

/// Of launches in their order, of which there is at least one.
VisitTimes times_of_launches(std::vector<double> launches_s);

/// Fills FLOPs, tensor and integer operations, bytes and the clock of a kernel that was launched
/// `launches` times in the timed run. Where a set saw another number of launches the counts are
/// per launch times those, with the range of both, and the flag `visits_differ`.
void put_gpu_counts(const cupti::Chip& chip, const GpuMetricsBySet& sets, std::uint64_t launches,
                    Region& kernel, std::set<std::string>& caveats);

}  // namespace roofmark

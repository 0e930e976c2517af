#include "gpu_collect.hpp"

#include <algorithm>
#include <analysis/join/region_tree.hpp>

namespace roofmark {
namespace {

class Collector {
 public:
  explicit Collector(const GpuInput& input) : input_(input) {}

  GpuSums take() {
    for (const cupti::GpuProcess& process : input_.activity) add_activity(process);
    for (const GpuCounterRun& run : input_.counters)
      for (const cupti::GpuProcess& process : run.processes) add_counters(run, process);
    return std::move(sums_);
  }

 private:
  /// As join() names regions of processes that run another program.
  RegionPath path_of(const cupti::GpuProcess& process, const cupti::LaunchPath& path) const {
    RegionPath made = path;
    if (!made.empty() && base_name(process.exe) != base_name(input_.main_executable))
      made.front() = foreign_name(made.front(), process.exe);
    return made;
  }

  void add_devices(const cupti::GpuProcess& process) {
    for (const cupti::GpuDevice& device : process.devices)
      sums_.devices.try_emplace(device.uuid, device);
  }

  void add_activity(const cupti::GpuProcess& process) {
    add_devices(process);
    std::vector<KernelSum*> places;
    for (const cupti::GpuKernel& kernel : process.kernels)
      places.push_back(&add_kernel(process, kernel));
    std::vector<std::uint64_t> known(places.size(), 0);
    for (const cupti::GpuLaunch& launch : process.launches) {
      ++known[launch.kernel];
      if (auto& intervals = places[launch.kernel]->intervals)
        intervals->emplace_back(launch.start_s, launch.end_s);
    }
    for (std::size_t k = 0; k < places.size(); ++k)
      if (known[k] != process.kernels[k].launches) places[k]->intervals.reset();
    for (const cupti::GpuBusy& busy : process.busy) {
      const auto [place, fresh] =
          sums_.busy.try_emplace({path_of(process, busy.path), busy.device});
      DeviceSum& sum = place->second;
      sum.first_s = fresh ? busy.first_start_s : std::min(sum.first_s, busy.first_start_s);
      sum.last_s = std::max(sum.last_s, busy.last_end_s);
      sum.busy_s += busy.busy_s;
      sum.longest_s = std::max(sum.longest_s, busy.busy_s);
      sum.exact = sum.exact && busy.exact;
      ++sum.processes;
    }
    for (const cupti::GpuCopy& copy : process.copies) {
      GpuCopies& sum =
          sums_.copies[{path_of(process, copy.path), copy.device}][cupti::spelling(copy.kind)];
      sum.count += copy.count;
      sum.bytes += copy.bytes;
      sum.time_s += copy.time_s;
    }
    for (const cupti::GpuHostCalls& calls : process.host_calls) {
      GpuCalls& sum = sums_.calls[path_of(process, calls.path)];
      sum.launches += calls.launches;
      sum.launch_s += calls.launch_s;
      sum.waits += calls.waits;
      sum.wait_s += calls.wait_s;
    }
  }

  KernelSum& add_kernel(const cupti::GpuProcess& process, const cupti::GpuKernel& kernel) {
    const auto [place, fresh] =
        sums_.kernels.try_emplace({path_of(process, kernel.path), kernel.device, kernel.name});
    KernelSum& sum = place->second;
    if (fresh) {
      sum.facts = {kernel.device, kernel.name, kernel.grid, kernel.block, false, 0};
      sum.min_s = kernel.min_s;
      sum.first_s = kernel.first_start_s;
      sum.intervals.emplace();
    }
    sum.facts.shapes_differ = sum.facts.shapes_differ || kernel.shapes_differ ||
                              sum.facts.grid != kernel.grid || sum.facts.block != kernel.block;
    sum.facts.graph_launches += kernel.graph_launches;
    sum.launches += kernel.launches;
    sum.time_s += kernel.time_s;
    sum.min_s = std::min(sum.min_s, kernel.min_s);
    sum.max_s = std::max(sum.max_s, kernel.max_s);
    sum.first_s = std::min(sum.first_s, kernel.first_start_s);
    sum.last_s = std::max(sum.last_s, kernel.last_end_s);
    ++sum.processes;
    return sum;
  }

  void add_counters(const GpuCounterRun& run, const cupti::GpuProcess& process) {
    add_devices(process);
    for (const cupti::GpuRange& range : process.ranges) {
      const auto [place, fresh] =
          sums_.kernels.try_emplace({path_of(process, range.path), range.device, range.name});
      if (fresh) place->second.facts = {range.device, range.name, {}, {}, false, 0};
      place->second.sets[run.set].add(range);
      for (const auto& [metric, value] : range.metrics)
        if (!is_sum(metric)) sums_.peaks[range.device].try_emplace(metric, value);
    }
  }

  const GpuInput& input_;
  GpuSums sums_;
};

}  // namespace

GpuSums collect_gpu(const GpuInput& input) {
  return Collector(input).take();
}

double united_s(std::vector<std::pair<double, double>> intervals) {
  std::sort(intervals.begin(), intervals.end());
  double sum = 0, until = 0;
  bool first = true;
  for (const auto& [start, end] : intervals) {
    const double from = first ? start : std::max(start, until);
    if (end > from) sum += end - from;
    until = first ? end : std::max(until, end);
    first = false;
  }
  return sum;
}

}  // namespace roofmark

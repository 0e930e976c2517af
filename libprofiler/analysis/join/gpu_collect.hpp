// What the processes of a program did on its GPUs, summed by place in the program.
#pragma once

#include <analysis/join/gpu_counts.hpp>
#include <analysis/join/join_gpu.hpp>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace roofmark {

using RegionPath = std::vector<std::string>;

/// One kernel on one device, launched from one place.
struct KernelKey {
  RegionPath path;
  std::string device, symbol;
  auto operator<=>(const KernelKey&) const = default;
};

struct KernelSum {
  std::uint64_t launches = 0, graph_launches = 0;  ///< that were timed
  double time_s = 0, min_s = 0, max_s = 0;         ///< of each launch by itself
  double first_s = 0, last_s = 0;
  KernelFacts facts;
  std::size_t processes = 0;
  /// Of each launch, where all of them are known.
  std::optional<std::vector<std::pair<double, double>>> intervals;
  GpuMetricsBySet sets;
};

/// One device below one place, kernels of the places inside it included.
struct DeviceSum {
  double busy_s = 0, longest_s = 0;  ///< over processes: their sum, and the largest
  double first_s = 0, last_s = 0;
  std::size_t processes = 0;
  bool exact = true;
};

struct GpuSums {
  std::map<std::string, cupti::GpuDevice> devices;
  std::map<KernelKey, KernelSum> kernels;
  std::map<std::pair<RegionPath, std::string>, DeviceSum> busy;
  std::map<std::pair<RegionPath, std::string>, std::map<std::string, GpuCopies>> copies;
  std::map<RegionPath, GpuCalls> calls;                        ///< of the place itself
  std::map<std::string, std::map<std::string, double>> peaks;  ///< metrics of devices, by uuid
};

GpuSums collect_gpu(const GpuInput& input);

/// The union of intervals.
double united_s(std::vector<std::pair<double, double>> intervals);

}  // namespace roofmark

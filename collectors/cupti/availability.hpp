// Whether kernels can be timed and counted here, from what can be seen without initialising CUDA:
// what `roofmark check` says of this collector.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <roofmark/result.hpp>
#include <string>

namespace roofmark::cupti {

struct AvailabilityOptions {
  std::filesystem::path root = "/";                       ///< the driver's files are read below it
  std::filesystem::path plugin;                           ///< libroofmark-cupti.so as installed
  std::uint64_t capabilities = 0;                         ///< effective ones of this process
  std::function<bool()> loads_driver;                     ///< empty: by loading libcuda.so.1
  std::function<std::optional<Problem>()> cupti_problem;  ///< empty: by loading CUPTI
};

struct Availability {
  std::string driver;               ///< "535.104.05"; empty: none is running
  std::optional<Problem> times;     ///< nothing: kernels can be timed
  std::optional<Problem> counters;  ///< nothing: kernels can be counted too
};

Availability availability(const AvailabilityOptions& options);

}  // namespace roofmark::cupti

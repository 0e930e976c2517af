// Joins what GPUs did with the regions of the host: kernels become regions below the one whose
// thread launched them, with the counts of later runs brought to the launches of the timed one.
// Pure: no file, no clock.
#pragma once

#include <collectors/cupti/chip_table.hpp>
#include <collectors/cupti/results.hpp>
#include <map>
#include <optional>
#include <roofmark/profile.hpp>
#include <roofmark/result.hpp>
#include <string>
#include <vector>

namespace roofmark {

/// One run in which kernels were counted.
struct GpuCounterRun {
  std::string set;  ///< "sass", "hw", "tensor.2"
  std::vector<cupti::GpuProcess> processes;
  std::optional<Problem> problem;  ///< why it was not made, or ended early
};

struct GpuInput {
  std::vector<cupti::GpuProcess> activity;  ///< of the run that timed kernels
  std::vector<GpuCounterRun> counters;
  std::optional<Problem> not_timed;    ///< why no kernel has a time
  std::optional<Problem> not_counted;  ///< why no counter run was made
  /// Sets that were left out, with the reason: by name.
  std::map<std::string, Problem> left_out;
  const cupti::ChipTable* chips = nullptr;
  std::string main_executable;  ///< regions of others bear their name, as join() has it
  /// Wall time of each region in the run that timed kernels; absent: of the timed run, which was
  /// the same.
  std::optional<std::map<std::vector<std::string>, double>> host_wall_s;
};

/// Adds kernels, shares of regions in GPUs, `machine.gpus` that are not there yet, and notes.
void join_gpu(const GpuInput& input, Profile& profile);

}  // namespace roofmark

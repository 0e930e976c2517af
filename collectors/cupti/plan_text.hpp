// What libroofmark-cupti.so is to do in the program: written by the analysis, read in the target.
// The file that ROOFMARK_GPU_PLAN names holds this text; libroofmark-cupti.so itself is named by
// CUDA_INJECTION64_PATH.
//
//   roofmark-gpu-plan/1
//   kind activity|counters
//   set NAME                        counters only
//   replay user|kernel              counters only: whether kernels may run several times each
//   results DIRECTORY               absolute; the rest of the line, no newline in it
//   limit launches N                single launches to keep
//   limit kernels N                 kernels (by name, device and path) to tell apart
//   limit ranges N                  launches to count between two looks at the counters
//   chip GH100                      counters only; then its metrics, one a line
//   metric dram__bytes.sum
//   end N                           the number of lines before this one
#pragma once

#include <cstdint>
#include <map>
#include <roofmark/result.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "results.hpp"

namespace roofmark::cupti {

/// How launches that need more than one pass get them.
enum class Replay {
  user,    ///< not at all: each kernel runs once, so a set must take one pass
  kernel,  ///< CUPTI saves memory, runs the kernel again for each pass and restores memory
};

struct GpuLimits {
  std::uint64_t launches = 4096;
  std::uint64_t kernels = 20000;
  std::uint64_t ranges = 1000;
};

struct GpuRunPlan {
  RunKind kind = RunKind::activity;
  std::string set;
  Replay replay = Replay::user;
  std::string results_directory;                            ///< absolute
  std::map<std::string, std::vector<std::string>> metrics;  ///< by chip: "GH100"
  GpuLimits limits;
};

/// Why the plan can't be written down, or nothing.
Result<std::string> plan_text(const GpuRunPlan& plan);

/// Reads the text strictly; the problem's `where` is "line N".
Result<GpuRunPlan> parse_plan(std::string_view text);

}  // namespace roofmark::cupti

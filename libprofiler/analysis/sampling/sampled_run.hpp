// Where a program's threads were at evenly spread moments of their processor time.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace roofmark::sampling {

/// A thread was executing there when another `period_s` of its processor time had passed.
struct TimeSample {
  std::uint32_t object = 0;  ///< index into SampledRun::objects
  std::int32_t thread = 0;   ///< the kernel's number
  std::uint64_t offset = 0;  ///< in the object's file
  double time_s = 0;         ///< on a clock that all threads share
  double period_s = 0;
};

/// Names of what is no file.
inline constexpr const char* kernel_object = "[kernel]";
inline constexpr const char* no_object = "";  ///< code that was made at run time

struct SampledRun {
  std::string means;                 ///< "perf", "timer"
  std::vector<std::string> objects;  ///< paths of files, or names of what is none
  std::vector<TimeSample> samples;   ///< in no order
  bool sees_kernel = false;          ///< time in the kernel is among the samples
  std::uint64_t lost = 0;            ///< samples that there was no room for
  double shortest_period_s = 0;      ///< that it began with
  std::vector<std::string> notes;    ///< what was not sampled, one sentence each
};

}  // namespace roofmark::sampling

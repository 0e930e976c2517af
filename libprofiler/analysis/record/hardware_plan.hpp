// Whether and how this machine's counters can count a program: tables, what opens here, what
// `roofmark check` found wrong; split into runs.
#pragma once

#include <analysis/join/measured.hpp>
#include <filesystem>
#include <functional>
#include <optional>
#include <roofmark/result.hpp>
#include <string>
#include <vector>

namespace roofmark {

struct HardwareOptions {
  std::filesystem::path installed_tables;
  std::filesystem::path cpuinfo = "/proc/cpuinfo";
  std::filesystem::path devices = "/sys/bus/event_source/devices";
  std::filesystem::path root = "/";
  std::optional<std::filesystem::path> findings;  ///< folder of what the self-test found
  bool by_papi = false;                           ///< by PAPI's names for the table's events
  bool multiplex = false;  ///< all events in one run, even where they don't fit
  bool once = false;       ///< no further run: what does not fit the first is absent
  std::function<void(const std::string&)> tell;  ///< of files that can't be read
};

struct HardwarePlan {
  MeasuredPasses passes;
  bool counts_flop = false;
};

/// A Problem where nothing can be counted; what alone can't is in `passes.absent`.
Result<HardwarePlan> plan_hardware(const HardwareOptions& options);

/// One pass as the runtime takes it.
Result<std::string> pass_text(const CounterPlan& plan, unsigned pass);

}  // namespace roofmark

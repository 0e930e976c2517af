// A cgroup may let a process see many cores and run on few of them (`docker run --cpus 2`).
#pragma once

#include <optional>
#include <string>

#include "topology.hpp"

namespace roofmark {

/// Cores' worth of time per second that the tightest cgroup allows; nothing where none limits it.
std::optional<double> cpu_quota();

/// The same from the text of `cpu.max` ("200000 100000", "max 100000").
std::optional<double> parse_cpu_max(const std::string& text);

/// Loads no more cores than the quota pays for, and says so.
void apply_cpu_quota(MachineLayout& layout, std::optional<double> quota);

}  // namespace roofmark

// The PMUs as the kernel describes them below /sys/bus/event_source/devices.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <roofmark/result.hpp>
#include <string>
#include <vector>

#include "event_table.hpp"
#include "sysfs_terms.hpp"

namespace roofmark {

struct PmuAlias {
  std::string terms;            ///< "event=0x04,umask=0x03"
  std::optional<double> scale;  ///< what one count is, in `unit`
  std::string unit;
};

struct PmuDevice {
  std::string name;
  std::uint32_t type = 0;
  PmuFormat format;
  std::vector<int> cpus;  ///< `cpumask`: where a PMU that no thread owns is opened, one per package
  std::vector<int> core_cpus;  ///< `cpus`: of a hybrid's PMU; empty: all
  std::map<std::string, PmuAlias> aliases;
};

/// The names of the PMUs in .../devices, sorted; none where there is no such folder.
std::vector<std::string> pmus_in(const std::filesystem::path& devices);

/// `folder` is .../devices/NAME.
Result<PmuDevice> read_pmu_device(const std::filesystem::path& folder);

/// "0-3,8" -> 0 1 2 3 8; nothing where it is no list.
std::optional<std::vector<int>> parse_cpu_list(std::string_view text);

/// What this PMU is to be given for the event: by its alias where the kernel has that and means the
/// same unit, else by the event's terms, else by its numbers.
Result<AttributeNumbers> encode_event(const CounterEvent& event, const PmuDevice& pmu);

/// Arm processors say which of the architecture's common events they have, and the kernel lists
/// those alone; one that is missing opens all the same, and counts 0 for ever. Why the event can't
/// be believed, or nothing.
std::optional<Problem> why_not_implemented(const AttributeNumbers& event, const PmuDevice& pmu);

}  // namespace roofmark

// Events by the names that perf and LIKWID print.
#pragma once

#include <analysis/counters/event_table.hpp>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace roofmark::import {

/// "cpu/event=0xc7,umask=0x01/u" and "r01c7:u", without what follows the name.
struct EventName {
  std::string pmu;   ///< "cpu", "uncore_imc_0"; empty: not named
  std::string core;  ///< "event=0xc7,umask=0x01", "r01c7", "fp_arith_inst_retired.scalar_double"
  bool kernel_alone = false;  ///< counts the kernel's work and not the program's
};
EventName event_name(std::string_view printed);

/// "event=0xc7,umask=0x1" -> its terms with numbers as numbers; what is 0 says nothing. Empty where
/// one is no number.
std::map<std::string, std::uint64_t> terms_of(std::string_view list);

/// Whether a PMU as printed is one of the pattern: perf leaves the number out where it has summed
/// over PMUs that differ in it alone.
bool is_pmu(const std::string& pattern, const std::string& printed);

/// Whether events of a PMU, as printed, are those of something that cores share: a memory
/// controller, a link, a package's power. An event without a PMU is a core's or the kernel's.
bool is_outside_cores(const std::string& pmu);

/// Whether it is this event of a core: by a name of perf's, libpfm4's or LIKWID's, or by its code.
bool means(const EventName& name, const CounterEvent& event);

}  // namespace roofmark::import

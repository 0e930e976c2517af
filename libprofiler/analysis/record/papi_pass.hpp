// Events of PAPI that the user named: what is planned before the program runs, in which of its runs
// they are counted, and what is said of them afterwards.
#pragma once

#include <analysis/join/measured.hpp>
#include <analysis/record/record.hpp>
#include <analysis/record/scratch.hpp>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace roofmark {

/// Where they are counted.
enum class NamedIn : std::uint8_t {
  timed_run,       ///< alone
  with_the_table,  ///< in the timed run, behind the events of the event table
  own_run          ///< beside counters that PAPI does not read, or that leave no room
};

struct PapiPass {
  std::string text;                           ///< what the runtime counts by; empty: no event
  std::optional<std::filesystem::path> plan;  ///< the same as a file, for the timed run
  NamedIn run = NamedIn::timed_run;
  std::vector<std::string> events;    ///< that are in it
  std::vector<RawProcess> processes;  ///< of the run of their own
  std::optional<Problem> problem;     ///< why that was not made, or ended early
  std::vector<std::pair<std::string, Problem>> absent;
};

/// Asks libpapi and says in one line each what can't be counted. Without events nothing is loaded.
PapiPass plan_papi(const RecordOptions& options, const Scratch* scratch);

/// Beside what hardware counts for the event table's quantities (null: nothing): says where the
/// events are counted, and puts them there.
void place_papi(PapiPass& pass, MeasuredPasses* measured);

/// After join(). `processes`: of the timed run. Says in one line why a plan could not be followed
/// in the program.
void add_papi_events(const PapiPass& pass, const std::vector<RawProcess>& processes,
                     const std::string& main_executable, const RecordOptions& options,
                     Profile& profile);

}  // namespace roofmark

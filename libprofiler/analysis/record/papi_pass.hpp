// Events of PAPI in the timed run: what is planned before it, and what is said of it afterwards.
#pragma once

#include <analysis/profile/arena_reader.hpp>
#include <analysis/record/record.hpp>
#include <analysis/record/scratch.hpp>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace roofmark {

struct PapiPass {
  std::optional<std::filesystem::path> plan;  ///< what the runtime counts by; nothing: no event
  std::vector<std::string> events;            ///< that are in it
  std::vector<std::pair<std::string, Problem>> absent;
};

/// Asks libpapi and says in one line each what can't be counted. Without events nothing is loaded.
PapiPass plan_papi(const RecordOptions& options, const Scratch* scratch);

/// After join(). Says in one line why a plan could not be followed in the program.
void add_papi_events(const PapiPass& pass, const std::vector<RawProcess>& processes,
                     const std::string& main_executable, const RecordOptions& options,
                     Profile& profile);

}  // namespace roofmark

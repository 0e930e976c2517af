// Functions as regions of a recording: those that sampling found, and those that were named.
#pragma once

#include <analysis/join/join.hpp>
#include <analysis/record/executable_functions.hpp>
#include <analysis/record/native_pass.hpp>
#include <analysis/record/record.hpp>
#include <filesystem>
#include <optional>
#include <roofmark/profile.hpp>

namespace roofmark {

/// Of a program that entered no region.
void find_functions(const NativeRun& native, JoinInput& input);

/// Both runs have the same regions: what was let go in the timed one is not looked for in the
/// counted one. And where functions were named, none is to be found by sampling.
void settle_functions(NativeRun& native, ExecutableFunctions& of_executable);

/// What --functions gave. `arenas`: where the programs left what they redirected.
void add_called_functions(const RecordOptions& options, const ExecutableFunctions& of_executable,
                          const NativeRun& native,
                          const std::optional<std::filesystem::path>& arenas,
                          const JoinInput& input, Profile& profile);

}  // namespace roofmark

// What can be said of the target from its file alone, before it runs.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace roofmark {

/// The file that execvp would run for `name`, or nothing.
std::optional<std::filesystem::path> find_executable(const std::string& name);

/// Why a preloaded runtime can't be loaded into this file, as a clause; nothing when it can, or
/// when the file is a script or can't be read. `remedy` receives what to do.
std::optional<std::string> why_not_preloadable(const std::filesystem::path& file,
                                               std::string& remedy);

}  // namespace roofmark

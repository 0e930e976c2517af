// What can be said of the target from its file alone. It is looked at once, before it runs: it may
// not be there afterwards.
#pragma once

#include <sys/stat.h>

#include <collectors/emulated/inspect.hpp>
#include <filesystem>
#include <optional>
#include <roofmark/result.hpp>
#include <string>

namespace roofmark {

struct TargetFile {
  std::filesystem::path path;                      ///< what execvp would run; empty: nothing
  std::optional<emulated::Executable> executable;  ///< nothing where it is none, or can't be read
  struct stat status {};
};

/// Looks the name up and its file over.
TargetFile look_at(const std::string& name, emulated::Look look);

/// Why a preloaded runtime can't be loaded into the target; nothing when it can, or when that can't
/// be known.
std::optional<Problem> why_not_preloadable(const TargetFile& target);

/// Why a second run would not be one of the program that was looked at: its file is gone, or is
/// another one now.
std::optional<Problem> why_not_again(const TargetFile& target);

}  // namespace roofmark

// A private view of the file system for a second run of the target: what it writes, renames or
// removes there is gone with it, and the files of the first run stay as they are.
#pragma once

#include <filesystem>
#include <optional>
#include <roofmark/result.hpp>
#include <string>
#include <vector>

namespace roofmark {

struct OverlayOptions {
  std::vector<std::filesystem::path> shared;  ///< absolute directories whose contents must survive
};

/// Moves this process into a private overlay. Only for a forked child that is about to run the
/// target: there is no way back. An empty string, or the step that failed and why. `exposed`, where
/// it is given, receives the writable file systems that could not be covered.
std::string enter_overlay(const OverlayOptions& options,
                          std::vector<std::string>* exposed = nullptr);

/// What an overlay would do here, tried out in a child.
struct OverlayTrial {
  std::optional<Problem> refused;    ///< why the kernel does not allow it
  std::vector<std::string> exposed;  ///< mount points that would not be covered
};
OverlayTrial try_overlay(const OverlayOptions& options);

}  // namespace roofmark

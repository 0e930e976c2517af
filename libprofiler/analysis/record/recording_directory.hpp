// A directory of recordings that was made without the command: by programs that were started with
// libroofmark-preload.so, on one node or on several.
#pragma once

#include <filesystem>
#include <roofmark/profile.hpp>
#include <roofmark/result.hpp>
#include <set>
#include <string>

namespace roofmark {

struct DirectoryRecording {
  Profile profile;              ///< without a machine and without rooflines
  std::set<std::string> hosts;  ///< where its processes ran
};

/// All that lies in the directory, as one profile. A problem where there is no recording in it.
Result<DirectoryRecording> read_recording_directory(const std::filesystem::path& directory);

}  // namespace roofmark

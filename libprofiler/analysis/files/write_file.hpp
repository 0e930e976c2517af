// The one way in which Roofmark writes a file that somebody keeps.
#pragma once

#include <filesystem>
#include <optional>
#include <roofmark/result.hpp>
#include <string>
#include <string_view>

namespace roofmark {

/// Writes `text` to `path`: the whole of it or nothing, so that a full disk or a crash leaves
/// neither half a file nor destroys the old one.
/// - A new file gets the usual mode; one that is replaced keeps its mode and, where that is
///   allowed, its owner. A file that may not be written is not replaced.
/// - Through a symbolic link, also one that leads nowhere yet: the link stays.
/// - What is no regular file (a pipe, a device) is written to directly; a reader that went away is
///   a problem and no signal.
std::optional<Problem> write_file(const std::filesystem::path& path, std::string_view text,
                                  const std::string& remedy = "choose another place with -o FILE");

/// 0, or the error of the first write that failed.
int write_all(int descriptor, std::string_view text);

}  // namespace roofmark

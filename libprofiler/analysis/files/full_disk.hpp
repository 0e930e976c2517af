// Whether a disk that could not be written to has no room left.
#pragma once

#include <filesystem>
#include <optional>
#include <roofmark/result.hpp>

namespace roofmark {

/// "the disk of /tmp is full": the mount that holds this directory has next to no bytes or no files
/// left for this user. Nothing where it has, or where nobody can tell.
std::optional<Problem> full_disk(const std::filesystem::path& directory);

}  // namespace roofmark

// Where a recording's files go: names that never overwrite, and another place when the chosen one
// takes no more.
#pragma once

#include <analysis/files/write_file.hpp>
#include <filesystem>
#include <optional>
#include <roofmark/result.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace roofmark {

/// A file that was written.
struct Written {
  std::filesystem::path path;
  std::optional<Problem> moved;  ///< why it is not where it was wanted
};

/// DIRECTORY/STEM.json, or STEM-2.json, STEM-3.json, ...: the first of which neither the file nor
/// its sibling of extension `sibling` exists. The file is made, empty, so that nobody else takes
/// it.
Result<std::filesystem::path> claim_name(const std::filesystem::path& directory,
                                         const std::string& stem, const std::string& extension,
                                         const std::string& sibling);

/// Whether a document written to this name can be replaced by a later one: it is or will be a
/// regular file, and not the name of an open descriptor (/dev/stdout), which would be another file
/// the second time. A pipe or a device gets one document.
bool is_replaceable(const std::filesystem::path& path);

/// Writes to `wanted`, or where that fails to a free name of the same kind in the first of the
/// fallback directories that takes it.
Result<Written> write_somewhere(const std::filesystem::path& wanted, std::string_view text,
                                const std::vector<std::filesystem::path>& fallbacks);

/// $TMPDIR, /tmp, /var/tmp, /dev/shm.
std::vector<std::filesystem::path> fallback_directories();

}  // namespace roofmark

// A file as one text.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace roofmark {

/// All of it; nothing where it can't be opened. Files of the kernel too, whose size is not known.
std::optional<std::string> read_file(const std::filesystem::path& file);

}  // namespace roofmark

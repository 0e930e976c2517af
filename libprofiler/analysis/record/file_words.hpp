// Words that a file holds anywhere, as an executable that is stripped still does.
#pragma once

#include <filesystem>
#include <functional>
#include <string_view>

namespace roofmark {

/// Calls `look` with one piece of the file after the other, each with the last 64 bytes before it,
/// until it returns true. False: the file can't be read.
bool look_through(const std::filesystem::path& file,
                  const std::function<bool(std::string_view)>& look);

/// Of at most 64 bytes.
bool holds_word(const std::filesystem::path& file, std::string_view word);

}  // namespace roofmark

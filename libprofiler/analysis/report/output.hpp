// Putting a report where it belongs: standard output or a file, all of it or a Problem.
#pragma once

#include <analysis/files/write_file.hpp>
#include <optional>
#include <roofmark/result.hpp>
#include <string>
#include <string_view>

namespace roofmark {

/// Creates `stem` + `suffix`, or `stem-2` + `suffix` and so on: never a file that exists. The name.
Result<std::string> write_new_file(const std::string& stem, const std::string& suffix,
                                   std::string_view text);

/// A reader that went away is a Problem with an empty reason: nothing needs to be said about it.
std::optional<Problem> write_standard_output(std::string_view text);

/// The whole file, or standard input for "-". `give`: what to do where it can't be read.
Result<std::string> read_input(
    const std::string& path,
    const std::string& give = "give a profile that `roofmark record` wrote");

}  // namespace roofmark

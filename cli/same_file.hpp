// A command must not write over what it reads, or twice to one place.
#pragma once

#include <optional>
#include <roofmark/result.hpp>
#include <string>

namespace roofmark::cli {

/// Whether two names lead to one regular file that is there. What is reached by a descriptor's name
/// (/dev/stdout) is no file of its own.
bool same_file(const std::string& one, const std::string& other);

/// Whether what is written to the open descriptor goes to the file of that name.
bool same_file(int descriptor, const std::string& name);

/// The problem of an output that is `other` as well, whose role is named: "--machine", "the program
/// itself".
std::optional<Problem> taken(const std::string& output, const std::string& other,
                             const std::string& role, const std::string& option = "-o");

}  // namespace roofmark::cli

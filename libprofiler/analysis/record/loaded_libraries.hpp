// Which libraries a program is loaded with, theirs included.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace roofmark {

/// Their file names, as the dynamic loader lists them without running the program; none where it
/// can't tell: a static program, one of another architecture.
std::vector<std::string> loaded_libraries(const std::filesystem::path& program);

}  // namespace roofmark

// Annotations that a program already has for other tools, read as regions: which, and what the
// program's environment has to hold for it. No I/O but to see whether the readers are there.
#pragma once

#include <filesystem>
#include <roofmark/result.hpp>
#include <string>
#include <vector>

namespace roofmark {

/// Whose annotations are read.
struct Annotations {
  std::vector<std::string> tools;  ///< of annotation_tools(), in its order
  bool automatic = false;          ///< chosen by us: nothing is set that a program might notice

  bool operator==(const Annotations&) const = default;
};

/// Whether names of functions are among the regions' names, as the compiler writes them.
bool reads_functions(const Annotations& annotations);

/// "nvtx", "itt", ...
const std::vector<std::string>& annotation_tools();

/// "auto", "none", or names with commas between.
Result<Annotations> parse_annotations(const std::string& text);

/// Adds what the readers need to the environment of a program that runs with one of the runtimes;
/// `lib`: where they lie. What the user has set for another tool stays, and is said in a line of
/// the answer.
std::vector<std::string> add_readers(const Annotations& annotations,
                                     const std::filesystem::path& lib,
                                     std::vector<std::string>& environment);

}  // namespace roofmark

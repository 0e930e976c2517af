// Library packs: wrappers that make regions of the calls of numerical libraries, preloaded beside
// the runtime.
#pragma once

#include <analysis/record/install_paths.hpp>
#include <filesystem>
#include <roofmark/result.hpp>
#include <string>
#include <vector>

namespace roofmark {

/// The packs that a choice names: "auto" and "none", or names with commas between.
struct PackChoice {
  std::vector<std::string> names;
  bool asked = false;  ///< by name: one that is not there is missed
};

/// A problem where the choice holds what is no pack.
Result<PackChoice> pack_choice(const std::string& choice);

struct Packs {
  std::vector<std::filesystem::path> libraries;
  std::vector<Problem> missing;  ///< those that were asked for and can't be preloaded
};

/// With "auto" those of libraries that one of the programs is loaded with: a program that asks
/// whether a function is there, and has a way without it, would be told that it is.
Packs find_packs(const InstallPaths& install, const PackChoice& choice,
                 const std::vector<std::filesystem::path>& programs);

/// What LD_PRELOAD gets: a runtime, and the packs behind it.
std::string preload_text(const std::filesystem::path& runtime,
                         const std::vector<std::filesystem::path>& packs);

}  // namespace roofmark

// Functions of the executable itself that --functions means. No loader is asked about calls of
// them: they are known by their places in the file.
#pragma once

#include <analysis/record/called_functions.hpp>
#include <analysis/record/executable.hpp>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace roofmark {

struct ExecutableFunction {
  std::string name;          ///< of its region
  std::uint64_t offset = 0;  ///< of its first instruction in the file
};

struct ExecutableFunctions {
  std::string object;  ///< the file; by its real path, as both runs know it
  std::vector<ExecutableFunction> functions;
  std::set<std::string> met;  ///< globs that some function of it fits
  /// Why probes of its returns would do it harm; empty: they would not, as far as can be seen.
  std::string harmed;
  std::vector<std::string> lines;  ///< what the user should know
};

/// So many can be regions: where more are meant, none is.
inline constexpr std::size_t most_executable_functions = 64;

ExecutableFunctions find_executable_functions(const std::vector<FunctionGlob>& globs,
                                              const TargetFile& target);

}  // namespace roofmark

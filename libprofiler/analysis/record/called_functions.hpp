// --functions GLOB[@LIB]: regions of functions in a program that nobody annotated.
#pragma once

#include <analysis/join/join.hpp>
#include <filesystem>
#include <map>
#include <optional>
#include <roofmark/profile.hpp>
#include <roofmark/result.hpp>
#include <set>
#include <string>
#include <vector>

namespace roofmark {

/// Which functions are meant: by their symbol, or by their qualified C++ name without parameters.
struct FunctionGlob {
  std::string text;      ///< as it was given
  std::string function;  ///< a glob
  std::string library;   ///< a glob of file names; empty: any
};

Result<FunctionGlob> parse_function_glob(const std::string& text);
bool is_meant(const FunctionGlob& glob, const std::string& symbol, const std::string& object);

/// Makes the loader redirect calls of such functions in a program that is started so, beside a
/// runtime. Nothing: done. Otherwise why not.
std::optional<Problem> add_functions(const std::vector<FunctionGlob>& globs,
                                     const std::filesystem::path& lib,
                                     std::vector<std::string>& environment);

/// What the programs of a recording left beside it.
struct RedirectedFunctions {
  std::map<std::string, std::string> object_of;  ///< by symbol: of those that were called
  std::optional<double> cost_s;                  ///< of redirecting a call, beside its marker
  bool has_limit = false;                        ///< more functions are meant than can be
  bool has_deep = false;                         ///< calls nested too deep to be regions
};
RedirectedFunctions read_redirected(const std::filesystem::path& directory);

/// By which means functions became regions.
struct FunctionMeans {
  RedirectedFunctions redirected;
  std::optional<Problem> no_redirection;
  std::string object;                   ///< the executable
  std::set<std::string> met;            ///< globs that some function of it fits
  std::set<std::string> of_executable;  ///< regions that are its functions
  std::optional<Problem> not_probed;    ///< why those have no time
  std::optional<double> probe_cost_s;
  std::vector<std::string> let_go;  ///< functions of it that were called too often to be probed
  std::uint64_t lost = 0;           ///< entries and returns that were lost
};

/// Says of each region that is such a function's what gave it and what that cost, names it as
/// people do, and says in a line what was asked for and is not there.
std::vector<std::string> describe_functions(const std::vector<FunctionGlob>& globs,
                                            const FunctionMeans& means, const JoinInput& input,
                                            Profile& profile);

}  // namespace roofmark

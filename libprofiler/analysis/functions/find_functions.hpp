// From samples to the functions that get rows in the report.
#pragma once

#include <analysis/functions/found_program.hpp>
#include <analysis/sampling/sampled_run.hpp>
#include <analysis/symbols/object_symbols.hpp>
#include <functional>
#include <roofmark/result.hpp>
#include <string>

namespace roofmark::functions {

/// The symbols of an object file; null: it has none that can be read.
using SymbolSource = std::function<symbols::ObjectSymbols*(const std::string& object)>;

/// Processor and wall time of the program, as the kernel accounts for it.
struct ProgramTime {
  double user_s = 0, system_s = 0, wall_s = 0;
};

/// With fewer samples nothing is said of functions.
inline constexpr std::size_t fewest_samples = 40;
/// Rows of functions, and the share of the program's time that one needs; of a part of one.
inline constexpr std::size_t most_functions = 20;
inline constexpr double least_share = 0.005;
inline constexpr double least_share_of_part = 0.02;

/// Shares of the samples times the program's processor time. The last rows are what has no row of
/// its own, and what the kernel did.
Result<FoundProgram> find_functions(const sampling::SampledRun& run, const ProgramTime& time,
                                    const SymbolSource& symbols_of);

}  // namespace roofmark::functions

// The functions of a program that entered no region, from the samples of its timed run.
#pragma once

#include <analysis/functions/found_program.hpp>
#include <analysis/record/native_pass.hpp>
#include <roofmark/result.hpp>

namespace roofmark {

/// Reads the symbols of what was sampled. To be called once, soon after the run: files may change.
Result<FoundProgram> found_functions(const sampling::SampledRun& run, const WholeProgram& whole);

}  // namespace roofmark

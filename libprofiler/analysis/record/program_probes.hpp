// The kernel's probes of the functions of an executable, during the timed run.
#pragma once

#include <sys/types.h>

#include <analysis/record/native_pass.hpp>
#include <analysis/record/uprobes.hpp>
#include <optional>
#include <roofmark/result.hpp>

namespace roofmark {

/// Nothing where nothing is to be probed.
std::optional<Result<Uprobes>> probe(pid_t child, const ExecutableFunctions& functions);

void take(Result<Uprobes>& probes, NativeRun& run);

/// What was probed has no place among the regions of a recording, which has no times of its own.
void use_probed(NativeRun& run);

}  // namespace roofmark

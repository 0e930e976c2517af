// How the work of a recording is counted: what is planned before its timed run, and the runs after
// it.
#pragma once

#include <analysis/join/join.hpp>
#include <analysis/join/measured.hpp>
#include <analysis/record/executable_functions.hpp>
#include <analysis/record/native_pass.hpp>
#include <analysis/record/papi_pass.hpp>
#include <analysis/record/record.hpp>
#include <analysis/record/scratch.hpp>
#include <analysis/record/signal_gate.hpp>
#include <analysis/record/stdin_capture.hpp>
#include <memory>
#include <optional>
#include <roofmark/profile.hpp>
#include <roofmark/result.hpp>

namespace roofmark {

bool runs_once(const RecordOptions& options) {
  return options.once || options.rank;
}

/// Hardware counters were asked for, and nothing else will do.
bool by_hardware(const RecordOptions& options) {
  return options.counters == "perf" || options.counters == "papi";
}

/// The ceilings and caches of this machine. The timed run is over and the counted one has not
/// begun: none disturbs the other. `hurried`: what is kept has to do. Returns why nothing more is
/// to be done, if the user said so.
std::optional<Problem> measure_ceilings(const RecordOptions& options, const SignalGate& gate,
                                        bool hurried, bool gpus, Profile& profile);

/// Hardware first: what it counts is exact and takes one native run. Nothing, with the reason in
/// `problem`, where it can't count the FLOPs of this machine, or anything at all.
std::shared_ptr<MeasuredPasses> plan_counters_of(const RecordOptions& options,
                                                 std::optional<Problem>& problem);

/// What counting has to go by.
struct CountingPlan {
  const RecordOptions& options;
  const TargetFile& target;
  const ExecutableFunctions& of_executable;
  const NativeRun& native;
  const Scratch* scratch;  ///< null: none could be made
  const StdinCapture& standard_input;
  const SignalGate& gate;
  std::shared_ptr<MeasuredPasses> measured;  ///< by hardware in the timed run; null: nothing
  PapiPass& papi;
  bool gpus;  ///< it launched kernels: theirs are ceilings too
};

/// After the timed run: this machine's ceilings, then whatever is still to be counted, or why it is
/// not.
void count(const CountingPlan& how, JoinInput& input, Profile& profile);

}  // namespace roofmark

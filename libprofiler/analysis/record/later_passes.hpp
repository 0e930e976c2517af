// The runs after the timed one that hardware events need: for those that did not fit, for a program
// without regions, for events that the user named.
#pragma once

#include <analysis/join/join.hpp>
#include <analysis/record/hardware_pass.hpp>
#include <analysis/record/papi_pass.hpp>
#include <analysis/record/scratch.hpp>
#include <analysis/record/signal_gate.hpp>
#include <analysis/record/stdin_capture.hpp>

namespace roofmark {

/// What runs the program again and what it is given.
struct RunAgain {
  const RecordOptions& options;
  const JoinInput& input;
  const Scratch* scratch;
  const StdinCapture& standard_input;
  const SignalGate& gate;
};

/// What is not counted there stays absent, with the reason. A program without regions is counted as
/// a whole, in runs of its own: beside the counters of its threads there would be too few for both.
/// `named`: one more run follows.
void run_later_passes(const RunAgain& run_again, std::optional<Problem> why_not, bool named,
                      MeasuredPasses& passes, Profile& profile);

/// The events that the user named, where the timed run could not count them as well.
void run_named_events(const RunAgain& run_again, std::optional<Problem> why_not,
                      const MeasuredPasses& measured, PapiPass& papi, Profile& profile);

}  // namespace roofmark

#include <analysis/record/later_passes.hpp>

namespace roofmark {
namespace {

/// A further run, unless there is a reason against it; one that it gives itself goes to `why_not`.
std::optional<HardwareOutcome> prepare_and_run(HardwareRun& run, const RunAgain& again,
                                               std::optional<Problem>& why_not, Profile& profile) {
  if (why_not) return std::nullopt;
  if (again.scratch == nullptr) {
    why_not = Problem{"no directory could hold the counts", "",
                      "set TMPDIR to a writable directory on a local disk"};
    return std::nullopt;
  }
  auto replayed = again.standard_input.replay();
  auto directory = again.scratch->subdirectory("counters-" + std::to_string(run.number));
  if (!replayed || !directory) {
    why_not = replayed ? directory.error() : replayed.error();
    return std::nullopt;
  }
  run.options = &again.options;
  run.native_wall_s = again.input.whole.wall_s;
  run.standard_input = std::move(*replayed);
  run.directory = *directory;
  auto outcome = run_hardware_pass(run, again.gate);
  if (!outcome) {
    why_not = outcome.error();
    return std::nullopt;
  }
  profile.passes.push_back(outcome->pass);
  profile.notes.insert(profile.notes.end(), outcome->notes.begin(), outcome->notes.end());
  why_not = outcome->problem;
  return std::move(*outcome);
}

}  // namespace

void run_later_passes(const RunAgain& run_again, std::optional<Problem> why_not, bool named,
                      MeasuredPasses& passes, Profile& profile) {
  const JoinInput& input = run_again.input;
  const bool whole_program = input.native.empty();
  if (passes.plan.passes > 1) passes.later.resize(passes.plan.passes - 1);
  for (unsigned pass = whole_program ? 0 : 1; pass < passes.plan.passes; ++pass) {
    HardwareRun run;
    run.passes = &passes;
    run.pass = pass;
    run.number = pass + (whole_program ? 2 : 1);
    run.of = passes.plan.passes + (whole_program || named ? 1 : 0);
    run.whole_program = whole_program;
    if (auto outcome = prepare_and_run(run, run_again, why_not, profile)) {
      if (pass != 0) passes.later[pass - 1] = std::move(outcome->processes);
      passes.program.insert(passes.program.end(), outcome->program.begin(), outcome->program.end());
    }
    // What PAPI counted of a part of the program is no count of the program.
    if (why_not && whole_program && !passes.texts.empty()) {
      for (const Formula* formula : passes.plan.formulas)
        passes.absent.push_back({formula->quantity, why_not->reason, why_not->remedy});
      passes.program.clear();
    }
    if (why_not)
      profile.notes.push_back("Not all hardware events were counted: " + to_line(*why_not) + ".");
  }
}

void run_named_events(const RunAgain& run_again, std::optional<Problem> why_not,
                      const MeasuredPasses& measured, PapiPass& papi, Profile& profile) {
  if (papi.run != NamedIn::own_run || run_again.input.native.empty()) return;
  MeasuredPasses named;
  named.collector = "papi";
  named.texts = {papi.text};
  named.plan.passes = 1;
  HardwareRun run;
  run.passes = &named;
  run.pass = 0;
  run.number = run.of = measured.plan.passes + 1;
  if (auto outcome = prepare_and_run(run, run_again, why_not, profile))
    papi.processes = std::move(outcome->processes);
  papi.problem = std::move(why_not);
}

}  // namespace roofmark

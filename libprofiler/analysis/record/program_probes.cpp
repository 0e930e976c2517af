#include <analysis/record/program_probes.hpp>
#include <analysis/record/run_facts.hpp>
#include <analysis/record/shortage.hpp>
#include <exception>

namespace roofmark {

std::optional<Result<Uprobes>> probe(pid_t child, const ExecutableFunctions& functions) {
  if (functions.functions.empty()) return std::nullopt;
  if (!functions.harmed.empty())
    return tl::unexpected(
        Problem{"probes of returns would break " + functions.harmed, "",
                "annotate it, or put the functions into a library, whose calls are redirected"});
  try {
    return Uprobes::of_child(child, functions);
  } catch (const std::exception& error) {
    return tl::unexpected(shortage(error));
  }
}

void take(Result<Uprobes>& probes, NativeRun& run) {
  try {
    if (probes)
      run.probed = probes->take(host_name());
    else
      run.probed = tl::unexpected(probes.error());
  } catch (const std::exception& error) {
    run.probed = tl::unexpected(shortage(error));
  }
}

void use_probed(NativeRun& run) {
  if (!run.probed || !*run.probed) return;
  if (run.processes.empty()) {
    run.processes = std::move((*run.probed)->processes);
    if (run.processes.empty()) return;
    run.no_markers.reset();
    run.sampled.reset();
  } else {
    run.probed = tl::unexpected(
        Problem{"probed calls can't be placed among the program's other regions", "",
                "leave out --functions for the others, --annotations none and --packs none"});
  }
}

}  // namespace roofmark

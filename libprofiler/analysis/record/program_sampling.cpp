#include <unistd.h>

#include <analysis/record/program_sampling.hpp>
#include <analysis/record/shortage.hpp>
#include <exception>
#include <utility>

namespace roofmark {
namespace {

using sampling::PerfSampling;
using sampling::TimerSampling;

/// Whether perf's clock can be had, tried on this process.
std::optional<Problem> why_no_perf() {
  auto tried = PerfSampling::of_child(getpid());
  if (tried) return std::nullopt;
  return tried.error();
}

}  // namespace

ProgramSampling::ProgramSampling(const std::filesystem::path& libraries,
                                 const std::optional<std::filesystem::path>& recording) {
  try {
    no_perf_ = why_no_perf();
    if (!no_perf_) return;
    means_.emplace<Problem>(*no_perf_);
    const std::filesystem::path library = libraries / "libroofmark-timer.so";
    if (!recording || access(library.c_str(), R_OK) != 0) return;
    if (auto begun = TimerSampling::begin(*recording)) {
      means_.emplace<TimerSampling>(std::move(*begun));
      library_ = library;
    }
  } catch (const std::exception& error) {
    means_.emplace<Problem>(shortage(error));
  }
}

void ProgramSampling::before_exec(pid_t child) {
  if (!std::holds_alternative<std::monostate>(means_)) return;
  try {
    auto sampling = PerfSampling::of_child(child);
    if (sampling)
      means_.emplace<PerfSampling>(std::move(*sampling));
    else
      means_.emplace<Problem>(sampling.error());
  } catch (const std::exception& error) {
    means_.emplace<Problem>(shortage(error));
  }
}

bool ProgramSampling::drain(double elapsed_s) {
  try {
    if (auto* perf = std::get_if<PerfSampling>(&means_)) {
      perf->drain(elapsed_s);
      return true;
    }
    if (auto* timer = std::get_if<TimerSampling>(&means_)) {
      timer->drain();
      return true;
    }
  } catch (const std::exception& error) {
    means_.emplace<Problem>(shortage(error));
  }
  return false;
}

void ProgramSampling::end() {
  means_.emplace<std::monostate>();
}

Result<sampling::SampledRun> ProgramSampling::take_samples(double cpu_s) {
  if (auto* perf = std::get_if<PerfSampling>(&means_)) return perf->take();
  if (auto* timer = std::get_if<TimerSampling>(&means_)) {
    auto run = timer->take(cpu_s);
    if (run) return run;
    Problem problem = *no_perf_;
    problem.reason += "; without perf: " + run.error().reason;
    return tl::unexpected(std::move(problem));
  }
  return tl::unexpected(std::get<Problem>(means_));
}

std::optional<Result<sampling::SampledRun>> ProgramSampling::take(double cpu_s) {
  if (std::holds_alternative<std::monostate>(means_)) return std::nullopt;
  try {
    return take_samples(cpu_s);
  } catch (const std::exception& error) {
    return Result<sampling::SampledRun>(tl::unexpected(shortage(error)));
  }
}

}  // namespace roofmark

// Samples the timed run: by perf's software clock, and where nobody may use that by timers of the
// program's own threads.
#pragma once

#include <sys/types.h>

#include <analysis/sampling/perf_sampling.hpp>
#include <analysis/sampling/sampled_run.hpp>
#include <analysis/sampling/timer_sampling.hpp>
#include <filesystem>
#include <optional>
#include <roofmark/result.hpp>
#include <variant>

namespace roofmark {

class ProgramSampling {
 public:
  /// Before the program is started. `recording`: the directory that the preloaded runtime writes
  /// to; nothing: nothing is preloaded, and there are no timers.
  ProgramSampling(const std::filesystem::path& libraries,
                  const std::optional<std::filesystem::path>& recording);

  /// What is to be preloaded beside the runtime.
  const std::optional<std::filesystem::path>& library() const { return library_; }
  void before_exec(pid_t child);
  /// Takes what there is; false: nothing is sampled, or no more. Where there is no memory for the
  /// samples, the program goes on without being sampled.
  bool drain(double elapsed_s);
  static constexpr double longest_wait_s = sampling::PerfSampling::longest_wait_s;
  /// Drops all samples: there are regions.
  void end();
  /// Nothing where there are regions. `cpu_s`: the program's processor time.
  std::optional<Result<sampling::SampledRun>> take(double cpu_s);

 private:
  Result<sampling::SampledRun> take_samples(double cpu_s);

  std::variant<std::monostate, Problem, sampling::PerfSampling, sampling::TimerSampling> means_;
  std::optional<std::filesystem::path> library_;
  std::optional<Problem> no_perf_;
};

}  // namespace roofmark

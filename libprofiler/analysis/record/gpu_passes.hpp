// The runs of a program that GPUs need: one that times its kernels, and one for each set of metrics
// that can be counted together.
#pragma once

#include <analysis/join/join_gpu.hpp>
#include <analysis/record/executable.hpp>
#include <analysis/record/gpu_run.hpp>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace roofmark {

class GpuPasses {
 public:
  /// Before the timed run: looks at the target and this machine.
  GpuPasses(const RecordOptions& options, const TargetFile& target);

  /// Whether the recorder has to look if the program loads the driver.
  bool asks_for_driver() const { return wanted_ && !signs_; }
  /// Where the program runs only once kernels are timed in that run: the plug-in's plan, to be put
  /// into the environment of that run.
  std::optional<std::filesystem::path> plan_of_timed_run(const std::filesystem::path& directory);

  /// After the timed run. `seen`: the program had the driver loaded.
  void run(const RunAgain& again, bool seen, bool was_ended, Profile& profile);
  /// After run(): whether the program launched any.
  bool launched_kernels() const;
  /// After join(): kernels become regions.
  void join(const std::string& main_executable, Profile& profile);

 private:
  using Chips = std::vector<std::string>;

  void time_kernels(const RunAgain& again, Profile& profile);
  void count(const RunAgain& again, Profile& profile);
  void run_set(const RunAgain& again, const std::string& set,
               const std::map<std::string, std::vector<std::string>>& metrics, Profile& profile);
  std::vector<std::string> chips_seen() const;
  bool used_tensor_units(const std::string& chip) const;
  void take(const RunAgain& again, GpuRunOutcome& outcome, Profile& profile);

  const RecordOptions& options_;
  bool wanted_ = false;  ///< by the options, and there is a driver
  bool signs_ = false;   ///< the file shows that it uses CUDA
  bool ran_ = false;     ///< there is something to join
  std::optional<std::filesystem::path> timed_run_;
  Result<cupti::ChipTable> chips_;
  GpuInput input_;
};

}  // namespace roofmark

// What a run keeps whatever its kind: the plan, the libraries, devices, problems and the file.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "collectors/cupti/plan_text.hpp"
#include "cuda_driver.hpp"
#include "cupti_library.hpp"
#include "region_paths.hpp"
#include "results_file.hpp"
#include "snapshot.hpp"

namespace roofmark::cupti {

/// CLOCK_MONOTONIC.
std::int64_t now_ns();

class Recorder {
 public:
  explicit Recorder(GpuRunPlan run_plan);
  /// False: nothing can be written.
  bool begin();

  /// A call of CUPTI failed. Each once, with the number of times.
  void failed(const char* call, int code, std::optional<std::uint32_t> device = std::nullopt);
  /// One of our own cases of the error table; `detail` goes behind its reason.
  void say(const char* name, std::optional<std::uint32_t> device = std::nullopt,
           std::uint64_t count = 1, const std::string& detail = {});

  /// The row of the device with that number in CUDA; asks the driver at its first use.
  std::uint32_t device(unsigned ordinal);
  DeviceRow device_row(std::uint32_t number);
  void set_chip(std::uint32_t number, const std::string& chip);

  /// Memory ran out: takes none to say so. Nothing more is recorded; what is known is written.
  void ran_out_of_memory() noexcept { out_of_memory_ = true; }
  bool is_out_of_memory() const { return out_of_memory_; }

  /// Writes the file anew; `fill` adds what the kind of run keeps. At the process's end another
  /// writer, which may hang on a disk, is not waited for without end.
  void save(ResultsEnd end, bool process_ends, const std::function<void(Snapshot&)>& fill);

  const GpuRunPlan plan;
  CudaDriver cuda;
  CuptiLibrary cupti;
  RegionPaths paths;

 private:
  ProblemRow& row_of(const ProblemRow& row);

  std::int64_t begin_ns_ = 0;
  std::atomic<bool> out_of_memory_{false};
  std::mutex mutex_;  // of what follows
  std::vector<DeviceRow> devices_;
  std::map<unsigned, std::uint32_t> numbers_;
  std::vector<ProblemRow> problems_;
  std::mutex file_mutex_;
  ResultsFile file_;
  bool ended_ = false, out_of_memory_told_ = false;
};

}  // namespace roofmark::cupti

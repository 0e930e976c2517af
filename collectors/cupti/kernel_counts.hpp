// What raw metrics of CUPTI and Nsight Compute say of one kernel (or of a sum of its launches), as
// quantities. Pure: no CUDA is needed for it.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace roofmark::cupti {

struct Chip;

/// Either both directions, or their sum where hardware does not tell them apart.
struct LevelBytes {
  std::optional<double> read, write, total;
};

/// What is not among the counts, and what would change that.
struct Missing {
  std::string quantity;  ///< "flop.f64", "tensor.bf16", "bytes.HBM"
  std::string reason;
  std::string fix;  ///< empty: nothing would
};

/// Units stay apart: FLOPs of the vector units by precision, operations of the tensor units by the
/// type of what they multiply, integer instructions. They are never summed into one number.
struct KernelCounts {
  std::map<std::string, double> flop;    ///< "f64", "f32", "f16": vector units
  std::map<std::string, double> tensor;  ///< "f16", "bf16", "tf32", "fp8", "fp4", "f64", "i8", ...
  std::map<std::string, double> op;      ///< "i32": thread instructions
  /// "HBM" (the device's memory, of whatever kind), "L2", "L1", "shared", and "TMA": what the copy
  /// engine of an SM moves between L2 and shared memory, which is in no other level's L1 bytes.
  std::map<std::string, LevelBytes> bytes;
  std::optional<bool> used_tensor_units;  ///< absent: the probe was not among the values
  std::optional<double> sm_clock_hz, dram_clock_hz;
  std::optional<double> time_s;  ///< under counters, which change it: not the kernel's time
  std::vector<Missing> missing;
  std::vector<std::string> caveats;  ///< sentences; each once
  std::string source = "measured";
  /// By quantity ("flop.f64", "bytes.HBM") where it is another one than `source`: "counted" where
  /// each instruction was instrumented, "estimated".
  std::map<std::string, std::string> sources;
};

/// `values` by full name ("smsp__sass_thread_inst_executed_op_ffma_pred_on.sum"), in CUPTI's own
/// units (gpu__time_duration in nanoseconds), all sets of a plan put together. A quantity of which
/// one metric is missing is missing. Of several definitions of traffic that one is taken whose
/// metrics are there: `traffic` first, then "interface", "nersc", "ncu".
KernelCounts counts_of(const Chip& chip, const std::map<std::string, double>& values,
                       const std::string& traffic = "interface");

}  // namespace roofmark::cupti

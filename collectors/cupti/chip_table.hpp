// Which metrics of which chip make which quantity: chips.json in memory.
#pragma once

#include <filesystem>
#include <roofmark/result.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace roofmark::cupti {

/// weight * the value of a metric.
struct MetricTerm {
  std::string metric;
  double weight = 1;
};

/// A quantity as a sum of terms.
struct MetricFormula {
  std::string quantity;  ///< "flop.f64", "tensor.bf16", "op.i32", "bytes.L2.total", "clock.sm"
  std::string set;       ///< "sass", "hw" or "tensor": what may be counted in one run
  /// "interface", "nersc" or "ncu" where definitions differ, "import" of what is only imported.
  std::string traffic;
  std::string source = "measured";  ///< or "counted" (each instruction was), "estimated"
  std::vector<MetricTerm> sum;
  std::vector<std::string> caveats;  ///< sentences
};

/// What can't be counted on this chip.
struct NotCounted {
  std::string quantity;
  std::string reason, fix;
};

/// A limit that the chip's own metrics state per cycle: weight * metric * clock.
struct PeakFormula {
  std::string quantity;  ///< "flop.f32", "tensor.f16", "bytes.HBM"
  MetricTerm per_cycle;
  std::string clock;  ///< the metric of the clock it is per cycle of
};

/// A limit from tables of the maker: FLOPs or bytes per multiprocessor and cycle of its clock.
struct TheoreticalPeak {
  std::string quantity;
  double per_sm_cycle = 0;
  std::string note;  ///< where it does not hold for every card of the chip
};

struct Chip {
  std::string name;    ///< as CUPTI spells it: "GH100"
  std::string family;  ///< "Hopper"
  std::string compute_capability;
  bool integrated = false;
  /// Empty where the range profiler can count on this chip; else why not.
  std::string not_collected, not_collected_fix;
  std::vector<MetricFormula> formulas;
  std::vector<std::string> probe;  ///< tell whether the tensor units did anything, by way of `hw`
  std::vector<NotCounted> not_counted;
  std::vector<PeakFormula> peaks;
  std::vector<TheoreticalPeak> theory;

  const MetricFormula* formula(std::string_view quantity, std::string_view traffic) const;
};

struct ChipTable {
  std::vector<Chip> chips;
  std::vector<std::string> usual_tensor;  ///< types that are counted where none is asked for
  const Chip* chip(std::string_view name) const;
  /// The first chip of this compute capability, "9.0"; chips of one capability count alike.
  const Chip* of_capability(std::string_view capability) const;
  /// Whether no other chip has its compute capability, so that the one tells the other.
  bool is_alone(const Chip& chip) const;
};

Result<ChipTable> chip_table_from_json(std::string_view text, const std::string& name);
/// FOLDER/chips.json; InstallPaths::find().share / "cupti" is the installed folder.
Result<ChipTable> load_chip_table(const std::filesystem::path& folder);

}  // namespace roofmark::cupti

// Every verdict on both sides of what separates it from its neighbours: the files in tests/golden,
// one concept each, with round ceilings (10 GFLOP/s and 10 GB/s of a core), so that shares of the
// time can be read off the counts.
#pragma once

#include <roofmark/profile.hpp>
#include <string>
#include <vector>

namespace roofmark::test {

struct GoldenRow {
  const char* file;
  const char* region;
  Verdict verdict;
  const char* detail;
  /// The name in verdicts.json, or what is set against what where no number stands between them.
  const char* threshold;
  double stands_at;  ///< on the scale of that threshold
};

/// Rows of one file and threshold stand together, so that both of its sides are seen.
inline const std::vector<GoldenRow>& golden_table() {
  using enum Verdict;
  static const std::vector<GoldenRow> rows = {
      {"ridge", "0.94 of the ridge", memory, "DRAM", "below ridge_uncertainty", 0.94},
      {"ridge", "0.96 of the ridge", balanced, "DRAM", "below ridge_uncertainty", 0.96},
      {"ridge", "1.04 of the ridge", balanced, "f64 avx2 fma", "above ridge_uncertainty", 1.04},
      {"ridge", "1.06 of the ridge", compute, "f64 avx2 fma", "above ridge_uncertainty", 1.06},

      {"noisy_ridge", "0.86 of the ridge", memory, "DRAM", "below their spread", 0.86},
      {"noisy_ridge", "0.88 of the ridge", balanced, "DRAM", "below their spread", 0.88},
      {"noisy_ridge", "1.14 of the ridge", balanced, "f64 avx2 fma", "above their spread", 1.14},
      {"noisy_ridge", "1.16 of the ridge", compute, "f64 avx2 fma", "above their spread", 1.16},

      {"at_roof", "0.89 of the peak", compute, "f64 avx2 fma", "at_roof", 0.89},
      {"at_roof", "0.91 of the peak", at_roof, "f64 avx2 fma", "at_roof", 0.91},
      {"at_roof", "0.99 of the peak", at_roof, "f64 avx2 fma", "binding ceiling", 9.9},
      {"at_roof", "0.99 of the bandwidth", memory, "DRAM", "binding ceiling", 1 / 9.9},

      {"latency", "0.39 by arithmetic", latency, "", "latency_below", 0.39},
      {"latency", "0.41 by arithmetic", compute, "f64 avx2 fma", "latency_below", 0.41},
      {"latency", "0.39 by memory", latency, "", "latency_below", 0.39},
      {"latency", "0.41 by memory", memory, "DRAM", "latency_below", 0.41},

      {"not_running", "0.49 of a core", latency, "not running", "idle_cores", 0.49},
      {"not_running", "0.51 of a core", latency, "", "idle_cores", 0.51},
      {"not_running", "0.49 core, explained", compute, "f64 avx2 fma", "", 0},

      {"no_flop", "no FLOP", no_flop, "DRAM", "FLOPs", 0},
      {"no_flop", "one FLOP", memory, "DRAM", "FLOPs", 1},
      {"no_flop", "no FLOP, few bytes", no_flop, "DRAM", "", 0},

      {"stalled", "0.29 per cycle", latency, "stalled", "stalled_ipc", 0.29},
      {"stalled", "0.31 per cycle", no_flop, "DRAM", "stalled_ipc", 0.31},
      {"stalled", "0.29, explained", no_flop, "DRAM", "", 0},

      {"serial", "1.24 of 2 cores", serial, "", "serial_cores", 1.24},
      {"serial", "1.26 of 2 cores", compute, "f64 avx2 fma", "serial_cores", 1.26},
      {"serial", "1 of 1 thread", compute, "f64 avx2 fma", "", 0},

      {"serial_but_bound", "room of 1.27", serial, "", "lost_to_waiting", 1 / 0.79},
      {"serial_but_bound", "room of 1.23", memory, "DRAM", "lost_to_waiting", 1 / 0.81},

      {"imbalanced", "1.26 of the mean", imbalanced, "", "lost_to_waiting", 1.26},
      {"imbalanced", "1.24 of the mean", compute, "f64 avx2 fma", "lost_to_waiting", 1.24},
      {"imbalanced", "room of 1.27", imbalanced, "", "lost_to_waiting", 1 / 0.79},
      {"imbalanced", "room of 1.23", compute, "f64 avx2 fma", "lost_to_waiting", 1 / 0.81},

      {"communication", "0.41 in MPI", communication, "", "communication_share", 0.41},
      {"communication", "0.39 in MPI", memory, "DRAM", "communication_share", 0.39},
      {"communication", "0.45 MPI, 0.44 roof", communication, "", "MPI by explained", 45.0 / 44},
      {"communication", "0.45 MPI, 0.46 roof", memory, "DRAM", "MPI by explained", 45.0 / 46},
      {"communication", "0.49 of mean wait", communication, "for rank 2", "half of the mean", 0.49},
      {"communication", "0.51 of mean wait", communication, "", "half of the mean", 0.51},

      {"launch", "0.51 idle", launch, "", "launch_idle", 0.51},
      {"launch", "0.49 idle", latency, "", "launch_idle", 0.49},
      {"launch", "calls 0.51 of gaps", launch, "", "launch_calls", 0.51},
      {"launch", "calls 0.49 of gaps", latency, "", "launch_calls", 0.49},

      {"too_small", "markers took 0.19", compute, "f64 avx2 fma", "too_small_marker_share", 0.19},
      {"too_small", "markers took 0.21", too_small, "", "too_small_marker_share", 0.21},
      {"too_small", "flagged", too_small, "", "", 0},

      {"above_roof", "1.09 of the peak", at_roof, "f64 avx2 fma", "above_margin", 1.09},
      {"above_roof", "1.11 of the peak", above_roof, "f64 avx2 fma", "above_margin", 1.11},
      {"above_roof", "1.09 of the bandwidth", memory, "DRAM", "above_margin", 1.09},
      {"above_roof", "1.11 of the bandwidth", above_roof, "DRAM", "above_margin", 1.11},
      {"above_roof", "1.14, known to 15 %", at_roof, "f64 avx2 fma", "its spread", 1.14},
      {"above_roof", "1.16, known to 15 %", above_roof, "f64 avx2 fma", "its spread", 1.16},

      {"undetermined", "0.79, L3 unknown", undetermined, "L3 not counted", "explains", 0.79},
      {"undetermined", "0.81, L3 unknown", compute, "f64 avx2 fma", "explains", 0.81},
      {"undetermined", "DRAM, L3 unknown", memory, "DRAM", "", 0},
      {"undetermined", "DRAM unknown", undetermined, "DRAM not counted", "", 0},
      {"undetermined", "FLOPs unknown", undetermined, "FLOPs not counted", "", 0},
      {"undetermined", "f32 without a peak", undetermined, "no ceiling for f32", "", 0},
  };
  return rows;
}

}  // namespace roofmark::test

// Which ceilings a stage measures, with which kernels, on which working sets. No I/O.
#pragma once

#include <cstddef>
#include <roofmark/machine.hpp>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "kernel.hpp"
#include "stage.hpp"
#include "working_sets.hpp"

namespace roofmark {

/// What a ceiling is, before it has a value.
struct PlannedCeiling {
  enum class Kind { clock, compute, bandwidth };
  Kind kind = Kind::clock;
  Precision precision = Precision::f64;
  Operation operation = Operation::fma;
  std::string isa;  ///< a clock's: among whose kernels it is taken; may stay empty for bandwidth
                    ///< beyond L1: the best kernel's is taken
  std::string level, pattern;
  std::vector<std::string> flags;
};

struct Plan {
  std::vector<PlannedCeiling> ceilings;
  std::vector<Task> tasks;  ///< Task::ceiling is an index into ceilings
};

struct PlanInputs {
  unsigned threads = 1;
  std::vector<WorkingSet> caches;
  std::string memory_level = "DRAM";
  std::size_t memory_set_bytes = 0;   ///< per thread; 0: memory is not measured
  std::size_t memory_warm_bytes = 0;  ///< per thread: its share of the last cache
  enum class Extent {
    all,
    widest,    ///< for the curve over cores: FMA and reads of memory, nothing else
    memory,    ///< the last cache and memory alone, in pages of the smallest size
    streams,   ///< memory alone
    siblings,  ///< for the hardware threads of a core: FMA, and reads of every level
  };
  Extent extent = Extent::all;
  std::set<const Kernel*> chosen;  ///< when not empty, only these (an earlier stage's best)
};

/// Kernels that this processor can run.
std::vector<const Kernel*> usable_kernels(std::span<const Kernel> kernels,
                                          const std::set<std::string>& features);

Plan plan_stage(const std::vector<const Kernel*>& kernels, const PlanInputs& inputs);

/// Bytes that cross an interface per byte that the program asked for, beyond L1, with
/// write-allocate and write-back: a stored line is filled, then written back.
double interface_factor(const std::string& level, const std::string& pattern);

}  // namespace roofmark

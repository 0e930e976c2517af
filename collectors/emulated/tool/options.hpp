// What the planner asked for on the command line.
#pragma once

#include "collectors/emulated/cache/geometry.hpp"
#include "valgrind.hpp"

namespace roofmark::emulator {

struct Options {
  const HChar* output = nullptr;  ///< directory for counts-PID-SEQ.jsonl
  bool caches = true;
  bool outside = true;         ///< caches see accesses outside regions too
  bool host_fma = true;        ///< batch FMA on the host's instruction
  bool host_identity = true;   ///< CPUID names the host
  bool places = true;          ///< totals per function and source line
  bool cross_check = false;    ///< compare the two ways of classifying
  bool by_ir = false;          ///< classify by intermediate code, as where bytes can't be decoded
  const HChar* hot = nullptr;  ///< file of the paths that a pass with little time is for
  const HChar* code_rows = nullptr;  ///< file of the code that gets rows of its own
  const HChar* entries = nullptr;    ///< file of functions whose calls are regions
  UInt snapshot_ms = 0;              ///< 0: none
  cache::Geometry geometry{};
  cache::Sampling sampling{};
};

extern Options options;

/// Valgrind's callbacks: is this one of ours?
Bool take_option(const HChar* argument);
void print_usage();

}  // namespace roofmark::emulator

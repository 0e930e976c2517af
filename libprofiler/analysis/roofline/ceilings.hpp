// Choosing a machine's ceiling for a class of work: precision, width and operation on the one side,
// interface, read/write mix and access width on the other, both for a number of cores.
#pragma once

#include <optional>
#include <roofmark/profile.hpp>
#include <roofmark/roofline.hpp>
#include <string>
#include <vector>

namespace roofmark::model {

/// Half the spread that was seen, relative and capped (see verdicts.json).
double uncertainty_of(const Ceiling& ceiling);

/// FLOP/s of one class on `cores` cores. Where the very class was not measured, a class that is at
/// least as fast stands in for it and the source is `theoretical`; nothing where there is none.
/// With a clock: what the cores do at it, from FLOPs per cycle, or scaled from the machine's clock.
std::optional<Ceiling> compute_ceiling(const Machine& machine, Precision precision,
                                       unsigned width_bits, Operation operation, double cores,
                                       std::optional<double> clock_hz = {});

/// The highest FLOP/s of a precision, of any class.
std::optional<Ceiling> topmost_peak(const Machine& machine, Precision precision, double cores,
                                    std::optional<double> clock_hz = {});

/// Widest vector registers that have a ceiling of this precision.
unsigned widest(const Machine& machine, Precision precision);

/// How bytes cross an interface.
struct TrafficMix {
  double read_share = 1;       ///< reads / (reads + writes) at the interface
  bool non_temporal = false;   ///< the stores bypass the caches
  double bytes_per_load = 0;   ///< mean size, at L1; 0: not known, the widest are taken
  double bytes_per_store = 0;  ///< the same of its stores
  /// Of the program's memory; nothing: not known, the better pages are taken.
  std::optional<double> large_page_share = {};
};

/// Interface bytes/s of one level for a mix, between the patterns that were measured.
std::optional<Ceiling> bandwidth_ceiling(const Machine& machine, const std::string& level,
                                         const TrafficMix& mix, double cores);

/// Interface bytes/s of the best pattern that reads, over all cores. With `page_bytes`: of those
/// that were measured in such pages.
std::optional<Ceiling> topmost_bandwidth(const Machine& machine, const std::string& level,
                                         double page_bytes = 0);

/// The smallest pages in which this level was measured beside larger ones; 0 where it was not.
double small_page_bytes(const Machine& machine, const std::string& level);

/// Program bytes/s of main memory, for bytes that a user declared: their mix is not known, so that
/// of the triad stands for it. `large_page_share` as in TrafficMix.
std::optional<Ceiling> declared_bandwidth(const Machine& machine, const std::string& level,
                                          double cores,
                                          std::optional<double> large_page_share = {});

/// Interfaces that have a ceiling, innermost first.
std::vector<std::string> interfaces(const Machine& machine);

/// Why there is no roof at all, where nothing of the processor was measured; else nothing. What a
/// person asked for is in the notes.
std::optional<std::string> no_machine(const Machine& machine);

/// Main memory of any kind, as opposed to a cache.
bool is_main_memory(const std::string& level);

/// Cores that count: one thread a core is the peak.
unsigned cores_of(const Machine& machine);

}  // namespace roofmark::model

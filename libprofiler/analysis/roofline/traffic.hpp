// A region's bytes at each interface, as far as they may be set against a ceiling.
#pragma once

#include <optional>
#include <roofmark/profile.hpp>
#include <string>
#include <vector>

#include "analysis/roofline/ceilings.hpp"

namespace roofmark::model {

struct InterfaceTraffic {
  std::string level;
  double bytes = 0;
  double uncertainty = 0;  ///< relative half-range
  TrafficMix mix;
  Source source = Source::counted;
  bool declared = false;  ///< program bytes of the user's formula, not interface bytes
  /// Main memory of which nobody told the kind: it may be any of these, by whose ceilings it is
  /// judged; empty: it is `level`.
  std::vector<std::string> kinds = {};
};

struct TrafficOfRegion {
  std::vector<InterfaceTraffic> levels;
  std::vector<std::string> uncounted;  ///< one clause each
  bool main_memory_uncounted = false;
  std::vector<std::string> notes;
};

/// A count of `work.operations`; nothing where there is none.
std::optional<double> operations(const Work& work, const char* name);

/// A store that misses fetches its line first, unless it bypasses the caches: what was written to
/// memory bounds what was fetched for that. As a share of all that moved; nothing where reads and
/// writes are not known apart, or nothing moved.
std::optional<double> share_fetched_for_stores(const Traffic& traffic, double bypassing_bytes);

/// Why bytes of an interface and FLOPs of this region make no intensity, where they are of a whole
/// socket or device and those of a program: a clause; nothing where they do, or one is not there.
std::optional<std::string> other_scope(const std::string& level, const Work& work,
                                       const Region& region);

/// Whether its main memory, simulated or declared, is one interface of whichever of the machine's
/// kinds, under the name "DRAM".
bool has_memory_of_any_kind(const Work& work, const Region& region, const Machine& machine);

/// Every interface that has a ceiling is either in `levels` or in `uncounted`.
/// `memory_kind`: of the program's memory, where that was seen.
TrafficOfRegion traffic_of(const Work& work, const Region& region, const Machine& machine,
                           const std::string& memory_kind = "");

}  // namespace roofmark::model

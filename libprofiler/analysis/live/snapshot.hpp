// A recording as it stands at one moment, and what happened between two of them.
#pragma once

#include <cstdint>
#include <optional>
#include <roofmark/profile.hpp>
#include <string>
#include <vector>

#include "counting.hpp"
#include "recording.hpp"

namespace roofmark::live {

struct Snapshot {
  double raw_s = 0;   ///< CLOCK_MONOTONIC_RAW
  Profile profile;    ///< times, and work as far as it is declared or counted while the program
                      ///< runs; judged where the machine's ceilings are known
  std::string level;  ///< whose bytes are counted, the outermost; empty: none are
  std::string directions;                      ///< of them: "read", "write" or "both"
  std::optional<std::string> why_not_counted;  ///< see Counting
};

/// Nothing where the process has ended. The machine's ceilings may be unknown: an empty Machine.
std::optional<Snapshot> look(const Recording& recording, const Machine& machine,
                             const Counting& counting = {});
/// Fills in which bytes are counted.
void find_level(Snapshot& snapshot);

/// A region now.
struct Row {
  std::size_t region = 0;             ///< index into the later snapshot's regions
  double busy_threads = 0;            ///< in its own work, mean over the interval
  double visits_per_s = 0;            ///< closed and begun in the interval
  std::optional<double> flop_per_s;   ///< of the interval, where work is known
  std::optional<double> bytes_per_s;  ///< of the interval, at the snapshot's level
  bool open = false;                  ///< a visit is open
};

/// One row for each region of the later snapshot, those that worked most in the interval first.
/// Without an earlier one: since the start.
std::vector<Row> rows_of(const std::optional<Snapshot>& before, const Snapshot& now);

}  // namespace roofmark::live

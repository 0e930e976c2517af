// What moved between two groups of runs of a program, region by region, and whether that is more
// than their noise. Pure functions.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <roofmark/profile.hpp>
#include <roofmark/result.hpp>
#include <string>
#include <vector>

#include "statistics.hpp"

namespace roofmark::comparison {

/// What a statement about noise rests on.
enum class Evidence {
  runs,    ///< several runs: their scatter was tested
  visits,  ///< one run a side: the scatter of the region's visits, and an allowance for runs
  counts,  ///< counted, not timed: the intervals that the counts carry
  none,    ///< one run a side, one visit: the allowance alone
};

/// By how much two runs of one program on one machine may differ without a reason, where only one
/// run a side tells: 5 %.
constexpr double allowance_between_runs = 0.05;
/// A change below this is none that anybody acts on, however sure it is: 1 %.
constexpr double least_change = 0.01;

/// Chance of calling any region's time changed where none is: a gate that compares on every change
/// of a program for months must hardly ever be wrong. In ten runs a side that scatter by 2 %, a
/// change of 5 % is still found in three of four cases and more, the more the fewer regions there
/// are.
constexpr double default_alpha = 0.005;

struct Change {
  double before = 0, after = 0;
  double ratio = 1;  ///< after / before
  double low = 1, high = 1;
  std::optional<double> p;  ///< several runs alone; corrected for the regions looked at together
  Evidence evidence = Evidence::none;
  bool beyond_noise = false;
  double relative() const { return ratio - 1; }
};

/// One side of a region.
struct Placement {
  bool present = false;
  std::optional<std::uint64_t> visits = {};  ///< nothing: not known
  Side side = Side::unknown;
  Verdict verdict = Verdict::undetermined;
  std::string verdict_detail;
};

/// The quantities by name, in the order in which they are shown: "time", "flop", "bytes",
/// "intensity", "flop_per_s", "roof_fraction". `bytes` and `intensity` are those of
/// Comparison::level.
const std::vector<std::string>& quantity_names();

/// A region's point of one precision, as a chart draws it: `intensity` and `flop_per_s`.
struct PointChange {
  std::map<std::string, Change> changes;      ///< absent: see `absent`
  std::map<std::string, std::string> absent;  ///< quantity: why it can't be compared
};

struct RegionChange {
  std::vector<std::string> path;         ///< in the runs after
  std::vector<std::string> path_before;  ///< where --map renamed it; else the same
  double time_share = 0;                 ///< of the run, on the side where it is larger
  Placement before, after;
  std::map<std::string, Change> changes;      ///< by quantity; absent: see `absent`
  std::map<std::string, std::string> absent;  ///< quantity: why it can't be compared
  /// By unit ("f64"), of each that it had before or has after; `changes` are of the judged one.
  std::map<std::string, PointChange> points;
  std::vector<std::string> sentences;  ///< what the numbers mean, most telling first
};

struct Comparison {
  std::size_t runs_before = 0, runs_after = 0;
  std::string level;  ///< interface of bytes and intensity
  double alpha = 0;
  std::vector<RegionChange> regions;  ///< as in the runs after; those that are gone follow
  std::vector<std::string> warnings;  ///< other machines, other commands, ceilings that moved
};

struct Options {
  std::string level;  ///< empty: as a report of the first run takes it
  /// Paths before -> paths after, as text; what lies below moves along.
  std::map<std::string, std::string> renamed;
  double alpha = default_alpha;
};

/// Neither side may be empty.
Comparison compare(const std::vector<Profile>& before, const std::vector<Profile>& after,
                   const Options& options = {});

std::string_view spelling(Evidence evidence);

}  // namespace roofmark::comparison

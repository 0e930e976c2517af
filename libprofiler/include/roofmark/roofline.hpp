// The roofline model: pure functions, no I/O. Units are types, so that bytes/s are never handed in
// where FLOP/s belong; every bandwidth is one of the interface whose bytes it is set against.
#pragma once

#include <map>
#include <optional>
#include <roofmark/machine.hpp>
#include <roofmark/profile.hpp>
#include <roofmark/words.hpp>
#include <string>
#include <vector>

namespace roofmark {

// ---- closed forms ----------------------------------------------------------------------------

struct FlopPerSecond {
  double value = 0;
};
struct BytesPerSecond {
  double value = 0;
};
struct Intensity {
  double flop_per_byte = 0;
};
struct Seconds {
  double value = 0;
};

/// min(peak, bandwidth * intensity): what a kernel of this intensity can attain.
FlopPerSecond roof(FlopPerSecond peak, BytesPerSecond bandwidth, Intensity intensity);

/// peak / bandwidth: from this intensity on the peak bounds.
Intensity ridge(FlopPerSecond peak, BytesPerSecond bandwidth);

/// Below the ridge: memory; at it or above: compute; within the relative uncertainty of it, which
/// counts as a factor in both directions (0.1: from ridge/1.1 to ridge*1.1): balanced.
Side side_of(Intensity intensity, Intensity ridge, double relative_uncertainty = 0);

/// log10(to / from): how far apart two ceilings, or a point and its roof, are on a log axis.
double decades(double from, double to);

/// The time that ceilings account for: between perfect overlap and none.
struct ExplainedTime {
  Seconds overlapped;  ///< the largest part
  Seconds serial;      ///< the sum of the parts
};
ExplainedTime explained_time(const std::vector<Seconds>& parts);

// ---- a machine's roof ------------------------------------------------------------------------

/// One limit taken from a machine: FLOP/s or interface bytes/s with the range it was seen in.
struct Ceiling {
  std::string name;  ///< "f64 avx2 fma", "DRAM triad"
  double per_s = 0;
  double low = 0, high = 0;
  double threads = 1;  ///< for how many cores it holds; between two measured counts interpolated
  Source source = Source::measured;
  double page_bytes = 0;  ///< of a bandwidth: pages of the memory it was measured in; 0: not known
};

struct LevelCeiling {
  std::string level;  ///< "L1", "L2", "L3", "DRAM"
  Ceiling bandwidth;  ///< interface bytes/s; program bytes at L1, where they are the same
};

/// The topmost roof: the highest peak of one precision and the highest bandwidth of each interface.
struct MachineRoof {
  Ceiling peak;
  std::vector<LevelCeiling> levels;  ///< innermost first
};

/// Nothing where the machine has no compute ceiling of this precision.
std::optional<MachineRoof> machine_roof(const Machine& machine, Precision precision);

/// The lowest of the peak and every bandwidth * intensity; interfaces without an intensity do not
/// bound. `binding` is the name of the interface, or empty where the peak binds.
struct RoofPoint {
  FlopPerSecond value;
  std::string binding;
};
RoofPoint roof(const MachineRoof& roof, const std::map<std::string, Intensity>& intensities);

// ---- judging ---------------------------------------------------------------------------------

/// One region as if it had no children: its inclusive counts against the machine's ceilings.
Roofline judge(const Region& region, const Machine& machine);

/// Fills `rooflines` (inclusive of children) and `self_rooflines` (exclusive) of every region from
/// `profile.machine`. A parent's explained time is its self time's plus its serial children's.
void judge(Profile& profile);

/// The same where a region has no roofline, or one without its evidence, as the file of a large
/// profile holds for most regions. True where it judged.
bool judge_where_open(Profile& profile);

/// The side of one interface's own ridge: `Roofline::side` is that of all interfaces together.
/// Unknown where the interface has no intensity.
Side side_at(const Roofline& roofline, const std::string& level);

/// The roofline that charts draw: of the region's own work where it has children.
/// Without a locus: the region's own, of a kernel that of its GPU, else "cpu".
const Roofline* self_roofline(const Region& region, const std::string& locus = "");
const Roofline* inclusive_roofline(const Region& region, const std::string& locus = "");

}  // namespace roofmark

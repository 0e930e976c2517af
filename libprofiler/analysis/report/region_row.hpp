// What a report says about one region, derived once for every format: each number or the reason why
// there is none.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <roofmark/profile.hpp>
#include <roofmark/report.hpp>
#include <string>
#include <vector>

namespace roofmark::report {

/// A number with its interval and source, or why it is absent.
struct Figure {
  std::optional<Interval> number;
  std::optional<Source> source;
  std::string quantity;  ///< what is missing: "bytes.DRAM"
  std::string reason;    ///< set where there is no number
  std::string fix;       ///< may be empty
  explicit operator bool() const { return number.has_value(); }
  double value() const { return number ? number->value : 0; }
  Interval interval() const { return number.value_or(Interval{}); }
  bool is_range() const { return number && (number->low || number->high); }
};

struct RowOptions {
  bool self = false;
  std::string level;  ///< interface of `intensity`
};

struct RegionRow {
  std::size_t region = 0;
  std::size_t depth = 0;  ///< 0 for a root
  std::string name;       ///< of the path what the row above it in the tree lacks, printable
  std::string path;       ///< printable
  bool leaf = true;
  Figure time_s, share, flop_per_s, intensity, fraction;
  std::string precision;         ///< of flop_per_s; "" where nothing was counted
  std::string other_precisions;  ///< "f32 3%": FLOPs that are not in flop_per_s
  std::optional<Source> flop_source, bytes_source;
  const Roofline* roofline = nullptr;  ///< the first, on the CPU where there is one
  /// By how much of itself `fraction` may be off: ceilings, counts and time.
  double fraction_spread() const;
};

/// Why a region of the processor has no share of a roof, where its verdict does not say.
std::string no_roof_of(const Profile& profile);

/// "L1", "L2", "L3", then memory kinds: how far from the core an interface is.
int distance_of_level(const std::string& level);

/// Rates of a work: one per precision, the one with the most FLOPs first.
struct Rate {
  Precision precision = Precision::f64;
  std::string unit;   ///< "f64", of the matrix units "tensor bf16"
  Figure flop;        ///< FLOPs
  Figure flop_per_s;  ///< over the wall time
};
std::vector<Rate> rates_of(const Work& work, const std::vector<Missing>& missing);

/// Both directions at one interface; absent where either was not counted.
Figure bytes_at(const Work& work, const std::string& level, const std::vector<Missing>& missing);

/// Those that may be set against the region's FLOPs: not where they are of a whole socket and its
/// FLOPs are not.
Figure bytes_for_intensity(const Region& region, const Work& work, const std::string& level);

/// A count that the user named, or why there is none.
Figure event_at(const Work& work, const std::string& name, const std::vector<Missing>& missing);

/// Quotient with its interval; absent where either is, or where the divisor is a measured zero.
Figure ratio(const Figure& dividend, const Figure& divisor);

Figure time_of(const Work& work, const std::vector<Missing>& missing);

/// What a region's rate is to be multiplied with for the rates of single visits: those that take
/// one standard deviation longer and shorter than their mean, and none longer or shorter than all
/// did. As if each did the same work. Nothing of one visit, or where they do not differ.
struct Scatter {
  double low = 1, high = 1;
};
std::optional<Scatter> scatter_of_visits(const Region& region);

/// Wall time of the run: of the whole-program row, or of the native pass, or of the roots together.
Figure run_time(const Profile& profile);

/// Every region of the profile in its order. The level is chosen where the options leave it open.
std::vector<RegionRow> rows_of(const Profile& profile, RowOptions options);

/// The level that `rows_of` and `chart_of` take when none is named: the outermost at which at least
/// half of the time has an intensity that has one at any level.
std::string default_level(const Profile& profile, const std::string& locus = "");

/// Whose roof a region is under: "cpu", of a kernel "gpu:UUID".
std::string locus_of(const Region& region);
/// Interfaces at which regions under a roof can be drawn, innermost first.
std::vector<std::string> levels_of(const Profile& profile, const std::string& locus);
/// What a level is for a region: main memory is a kernel's HBM, whatever the host's is called.
std::string level_for(const Region& region, const std::string& level);

/// Time that a region could save at most: its time beyond what its roof would need.
double time_away_from_roof(const RegionRow& row);
/// By how much of itself that may be off: by as much as the time and what the roof needs of it are.
double spread_of_time_away(const RegionRow& row);

}  // namespace roofmark::report

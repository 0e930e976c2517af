// The bandwidth of a mix of reads and writes lies between those of the patterns that were measured,
// that of memory partly in large pages between those of the page sizes.
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

#include "analysis/roofline/ceilings.hpp"
#include "analysis/roofline/curve.hpp"
#include "analysis/roofline/sane.hpp"

namespace roofmark::model {
namespace {

struct Pattern {
  const char* name;
  double read_share;  ///< of what crosses the interface
  bool non_temporal;
};

// Beyond L1 a store fetches its line first (write-allocate) and writes it back later: `write` is
// one read and one write, `copy` two and one, `triad` three and one. Non-temporal stores only
// write.
constexpr std::array<Pattern, 8> below_l1 = {{{"read", 1.0, false},
                                              {"triad", 3.0 / 4, false},
                                              {"copy", 2.0 / 3, false},
                                              {"write", 1.0 / 2, false},
                                              {"read", 1.0, true},
                                              {"triad_nt", 2.0 / 3, true},
                                              {"copy_nt", 1.0 / 2, true},
                                              {"write_nt", 0.0, true}}};
constexpr std::array<Pattern, 4> at_l1 = {{{"read", 1.0, false},
                                           {"triad", 2.0 / 3, false},
                                           {"copy", 1.0 / 2, false},
                                           {"write", 0.0, false}}};

double bytes_of(const std::string& isa) {
  if (isa == "scalar") return 8;
  if (isa == "sse" || isa == "sse2" || isa == "avx128" || isa == "neon") return 16;
  if (isa == "avx" || isa == "avx2") return 32;
  if (isa == "avx512") return 64;
  return 0;
}

/// Each core has a private instance, so that its bandwidth grows with the cores.
bool is_private(const Machine& machine, const std::string& level) {
  for (const CacheLevel& cache : machine.topology.caches)
    if (cache.name == level) return cache.shared_by <= 1;
  return level == "L1";
}

constexpr const char* base_pages_suffix = " in small pages";

enum class Unit { interface, program };

/// Which pages the memory of a ceiling was in.
struct Pages {
  double bytes = 0;  ///< 0: of any size, the best counts
  bool match(const BandwidthCeiling& ceiling) const {
    return bytes == 0 || ceiling.page_bytes == bytes;
  }
};

Ceiling as_ceiling(const BandwidthCeiling& from, Unit unit) {
  Ceiling ceiling{from.level + " " + from.pattern,
                  from.interface_bytes_per_s,
                  from.low,
                  from.high,
                  double(from.threads),
                  from.source};
  if (unit == Unit::interface) return ceiling;
  const double factor = from.program_bytes_per_s / from.interface_bytes_per_s;
  ceiling.per_s *= factor;
  ceiling.low *= factor;
  ceiling.high *= factor;
  return ceiling;
}

template <class Wanted>
std::optional<Ceiling> curve_at(const Machine& machine, const std::string& level, double cores,
                                Unit unit, Wanted wanted) {
  // One curve for each size of pages: where not all were measured on all cores, a point in small
  // pages on many says nothing against one in large pages on few.
  std::map<double, Curve> curves;
  for (const BandwidthCeiling& ceiling : machine.bandwidth) {
    if (ceiling.level != level || !wanted(ceiling) || !is_rate(ceiling.interface_bytes_per_s))
      continue;
    if (unit == Unit::program && !is_rate(ceiling.program_bytes_per_s)) continue;
    if (ceiling.threads < 1 || ceiling.threads > cores_of(machine)) continue;
    curves[ceiling.page_bytes].add(as_ceiling(ceiling, unit));
  }
  cores = std::clamp(cores, 1.0, double(cores_of(machine)));
  const auto beyond = is_private(machine, level) ? Curve::Beyond::scale : Curve::Beyond::hold;
  std::optional<Ceiling> best;
  for (const auto& [page_bytes, curve] : curves)
    if (const auto found = curve.at(cores, beyond);
        found && (!best || found->per_s > best->per_s)) {
      best = found;
      best->page_bytes = page_bytes;
    }
  return best;
}

/// One pattern for accesses of a given mean size. An L1 is limited by accesses a cycle, so that the
/// bandwidth is linear in their size between the widths that were measured.
std::optional<Ceiling> pattern_ceiling(const Machine& machine, const std::string& level,
                                       const char* pattern, double bytes_per_access, double cores,
                                       Pages pages = {}) {
  const auto best =
      curve_at(machine, level, cores, Unit::interface,
               [&](const BandwidthCeiling& c) { return c.pattern == pattern && pages.match(c); });
  if (level != "L1" || !(bytes_per_access > 0) || !best) return best;
  std::map<double, Ceiling> by_size;
  for (const BandwidthCeiling& candidate : machine.bandwidth) {
    const double size = bytes_of(candidate.isa);
    if (candidate.level != level || candidate.pattern != pattern || size == 0) continue;
    if (by_size.contains(size)) continue;  // of another number of threads
    const auto found = curve_at(
        machine, level, cores, Unit::interface,
        [&](const BandwidthCeiling& c) { return c.pattern == pattern && bytes_of(c.isa) == size; });
    if (found) by_size.insert_or_assign(size, *found);
  }
  Curve curve;
  for (auto& [size, ceiling] : by_size) {
    ceiling.threads = size;
    curve.add(ceiling);
  }
  if (by_size.empty() || bytes_per_access > by_size.rbegin()->first) return best;
  auto narrow = curve.at(bytes_per_access, Curve::Beyond::scale);
  narrow->threads = best->threads;
  return narrow;
}

struct Point {
  double read_share;
  Ceiling ceiling;
};

/// The time a byte takes is linear in the share of reads between two patterns.
Ceiling mixed(const Point& a, const Point& b, double read_share) {
  const double share = (read_share - a.read_share) / (b.read_share - a.read_share);
  const auto blend = [&](double x, double y) {
    return x > 0 && y > 0 ? 1 / ((1 - share) / x + share / y) : 0;
  };
  Ceiling ceiling = share < 0.5 ? a.ceiling : b.ceiling;
  ceiling.per_s = blend(a.ceiling.per_s, b.ceiling.per_s);
  ceiling.low = blend(a.ceiling.low, b.ceiling.low);
  ceiling.high = blend(a.ceiling.high, b.ceiling.high);
  return ceiling;
}

template <class Patterns>
std::optional<Ceiling> over_patterns(const Machine& machine, const std::string& level,
                                     const TrafficMix& mix, double cores, bool non_temporal,
                                     const Patterns& patterns, Pages pages) {
  const auto point_of = [&](const Pattern& pattern) -> std::optional<Point> {
    if (pattern.non_temporal != non_temporal) return std::nullopt;
    const auto ceiling =
        pattern_ceiling(machine, level, pattern.name, mix.bytes_per_access, cores, pages);
    if (!ceiling) return std::nullopt;
    return Point{pattern.read_share, *ceiling};
  };
  // The nearest patterns with more and with fewer reads; the tables begin with the most reads.
  std::optional<Point> above, below;
  for (auto pattern = patterns.rbegin(); pattern != patterns.rend() && !above; ++pattern)
    if (pattern->read_share >= mix.read_share) above = point_of(*pattern);
  if (above && above->read_share == mix.read_share) return above->ceiling;
  for (auto pattern = patterns.begin(); pattern != patterns.end() && !below; ++pattern)
    if (pattern->read_share <= mix.read_share) below = point_of(*pattern);
  if (!above && !below) return std::nullopt;
  if (!above) return below->ceiling;
  if (!below || below->read_share == above->read_share) return above->ceiling;
  return mixed(*below, *above, mix.read_share);
}

std::optional<Ceiling> mix_ceiling(const Machine& machine, const std::string& level,
                                   const TrafficMix& mix, double cores, Pages pages) {
  if (level == "L1") return over_patterns(machine, level, mix, cores, false, at_l1, pages);
  if (mix.non_temporal)
    if (auto found = over_patterns(machine, level, mix, cores, true, below_l1, pages)) return found;
  return over_patterns(machine, level, mix, cores, false, below_l1, pages);
}

std::optional<Ceiling> program_ceiling(const Machine& machine, const std::string& level,
                                       double cores, Pages pages) {
  for (const char* pattern : {"triad", "copy", "read"}) {
    const auto found =
        curve_at(machine, level, cores, Unit::program,
                 [&](const BandwidthCeiling& c) { return c.pattern == pattern && pages.match(c); });
    if (found) return found;
  }
  return std::nullopt;
}

/// The time a byte takes is linear in the share of memory that is in large pages. `ceiling_in`
/// gives the ceiling of one kind of pages.
template <class CeilingIn>
std::optional<Ceiling> over_pages(const Machine& machine, const std::string& level,
                                  std::optional<double> large_page_share, CeilingIn ceiling_in) {
  const auto best = ceiling_in(Pages{});
  const double base_bytes = small_page_bytes(machine, level);
  if (!best || base_bytes == 0 || !large_page_share || !(*large_page_share < 1)) return best;
  const auto base = ceiling_in(Pages{base_bytes});
  if (!base) return best;
  const double share = std::max(*large_page_share, 0.0);
  Ceiling blended = mixed({0, *base}, {1, *best}, share);
  if (share < 0.5) blended.name += base_pages_suffix;
  return blended;
}

}  // namespace

double small_page_bytes(const Machine& machine, const std::string& level) {
  double least = 0, most = 0;
  for (const BandwidthCeiling& ceiling : machine.bandwidth) {
    if (ceiling.level != level || !is_rate(ceiling.page_bytes)) continue;
    least = least == 0 ? ceiling.page_bytes : std::min(least, ceiling.page_bytes);
    most = std::max(most, ceiling.page_bytes);
  }
  return least < most ? least : 0;
}

std::optional<Ceiling> bandwidth_ceiling(const Machine& machine, const std::string& level,
                                         const TrafficMix& mix, double cores) {
  return over_pages(machine, level, mix.large_page_share,
                    [&](Pages pages) { return mix_ceiling(machine, level, mix, cores, pages); });
}

std::optional<Ceiling> topmost_bandwidth(const Machine& machine, const std::string& level,
                                         double page_bytes) {
  std::optional<Ceiling> best;
  for (const char* pattern : {"read", "triad", "copy", "triad_nt", "copy_nt"}) {
    const auto found =
        pattern_ceiling(machine, level, pattern, 0, cores_of(machine), Pages{page_bytes});
    if (found && (!best || found->per_s > best->per_s)) best = found;
  }
  // A machine file with writes alone still has a bandwidth.
  if (!best)
    best = curve_at(machine, level, cores_of(machine), Unit::interface,
                    [&](const BandwidthCeiling& c) { return Pages{page_bytes}.match(c); });
  return best;
}

std::optional<Ceiling> declared_bandwidth(const Machine& machine, const std::string& level,
                                          double cores, std::optional<double> large_page_share) {
  return over_pages(machine, level, large_page_share,
                    [&](Pages pages) { return program_ceiling(machine, level, cores, pages); });
}

std::vector<std::string> interfaces(const Machine& machine) {
  // "L1" < "L2" < ... and every kind of main memory after them.
  std::set<std::string> caches, memories;
  for (const BandwidthCeiling& ceiling : machine.bandwidth)
    if (is_rate(ceiling.interface_bytes_per_s))
      (is_main_memory(ceiling.level) ? memories : caches).insert(ceiling.level);
  std::vector<std::string> levels;
  // Shared memory lies beside L1, which is further for a kernel that uses both.
  if (caches.erase("shared") > 0) levels.emplace_back("shared");
  levels.insert(levels.end(), caches.begin(), caches.end());
  levels.insert(levels.end(), memories.begin(), memories.end());
  return levels;
}

}  // namespace roofmark::model

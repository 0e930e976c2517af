// The bandwidth of a mix of reads and writes lies between those of the patterns that were measured,
// that of memory partly in large pages between those of the page sizes.
#include <algorithm>
#include <array>
#include <set>

#include "analysis/roofline/bandwidth_curve.hpp"
#include "analysis/roofline/ceilings.hpp"
#include "analysis/roofline/l1_bandwidth.hpp"
#include "analysis/roofline/pattern_mix.hpp"
#include "analysis/roofline/sane.hpp"

namespace roofmark::model {
namespace {

// Beyond L1 a store fetches its line first (write-allocate) and writes it back later: `write` is
// one read and one write, `copy` two and one, `triad` three and one. Non-temporal stores only
// write.
constexpr std::array<Pattern, 4> write_allocate = {
    {{"read", 1.0}, {"triad", 3.0 / 4}, {"copy", 2.0 / 3}, {"write", 1.0 / 2}}};
constexpr std::array<Pattern, 4> non_temporal = {
    {{"read", 1.0}, {"triad_nt", 2.0 / 3}, {"copy_nt", 1.0 / 2}, {"write_nt", 0.0}}};

constexpr const char* base_pages_suffix = " in small pages";

std::optional<Ceiling> pattern_ceiling(const Machine& machine, const std::string& level,
                                       const char* pattern, double cores, Pages pages = {}) {
  return bandwidth_at(machine, level, cores, Unit::interface, [&](const BandwidthCeiling& one) {
    return one.pattern == pattern && pages.match(one);
  });
}

std::optional<Ceiling> mix_ceiling(const Machine& machine, const std::string& level,
                                   const TrafficMix& mix, double cores, Pages pages) {
  if (level == "L1") return l1_ceiling(machine, mix, cores);
  const auto ceiling_of = [&](const Pattern& pattern) {
    return pattern_ceiling(machine, level, pattern.name, cores, pages);
  };
  if (mix.non_temporal)
    if (auto found = between_patterns(non_temporal, mix.read_share, ceiling_of)) return found;
  return between_patterns(write_allocate, mix.read_share, ceiling_of);
}

std::optional<Ceiling> program_ceiling(const Machine& machine, const std::string& level,
                                       double cores, Pages pages) {
  for (const char* pattern : {"triad", "copy", "read"}) {
    const auto found = bandwidth_at(
        machine, level, cores, Unit::program,
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
  Ceiling blended = in_turn(*base, *best, share);
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
        pattern_ceiling(machine, level, pattern, cores_of(machine), Pages{page_bytes});
    if (found && (!best || found->per_s > best->per_s)) best = found;
  }
  // A machine file with writes alone still has a bandwidth.
  if (!best)
    best = bandwidth_at(machine, level, cores_of(machine), Unit::interface,
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
  const std::string* before = nullptr;  // those of one level stand together
  for (const BandwidthCeiling& ceiling : machine.bandwidth) {
    if (!is_rate(ceiling.interface_bytes_per_s)) continue;
    if (before == nullptr || *before != ceiling.level)
      (is_main_memory(ceiling.level) ? memories : caches).insert(ceiling.level);
    before = &ceiling.level;
  }
  std::vector<std::string> levels;
  // Shared memory lies beside L1, which is further for a kernel that uses both.
  if (caches.erase("shared") > 0) levels.emplace_back("shared");
  levels.insert(levels.end(), caches.begin(), caches.end());
  levels.insert(levels.end(), memories.begin(), memories.end());
  return levels;
}

}  // namespace roofmark::model

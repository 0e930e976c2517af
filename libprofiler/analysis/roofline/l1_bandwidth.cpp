// Three bounds of which the lowest holds: the loads alone, the stores alone (a core has fewer ports
// for them), and both together. The first two know each side's own width. The third takes the
// narrower one, which is the faster: a roof must not be too low.
#include "analysis/roofline/l1_bandwidth.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <vector>

#include "analysis/roofline/bandwidth_curve.hpp"
#include "analysis/roofline/curve.hpp"
#include "analysis/roofline/pattern_mix.hpp"

namespace roofmark::model {
namespace {

constexpr const char* level = "L1";
// A store is one write and no read: what it hits is there. All accesses of one pattern are equally
// wide, so that the share of reads is that of the accesses too.
constexpr std::array<Pattern, 4> patterns = {
    {{"read", 1.0}, {"triad", 2.0 / 3}, {"copy", 1.0 / 2}, {"write", 0.0}}};

double access_bytes_of(const std::string& isa) {
  if (isa == "scalar" || isa == "gpr") return 8;
  if (isa == "sse" || isa == "sse2" || isa == "avx128" || isa == "neon") return 16;
  if (isa == "avx" || isa == "avx2") return 32;
  if (isa == "avx512") return 64;
  return 0;
}

/// Bytes/s of one pattern as a function of the size of its accesses.
class BySize {
 public:
  BySize(const Machine& machine, const char* pattern, double cores) {
    std::vector<const BandwidthCeiling*> all;
    std::map<double, std::vector<const BandwidthCeiling*>> of_bytes;
    for (const BandwidthCeiling& one : machine.bandwidth) {
      if (one.level != level || one.pattern != pattern) continue;
      all.push_back(&one);
      if (const double bytes = access_bytes_of(one.isa); bytes > 0) of_bytes[bytes].push_back(&one);
    }
    best_ = bandwidth_at(machine, level, cores, Unit::interface, all);
    for (const auto& [bytes, chosen] : of_bytes)
      if (const auto found = bandwidth_at(machine, level, cores, Unit::interface, chosen))
        by_bytes_.emplace(bytes, *found);
  }

  double widest_bytes() const { return by_bytes_.empty() ? 0 : by_bytes_.rbegin()->first; }

  /// Narrow accesses take as long as the narrowest that was measured. Between two sizes the time of
  /// an access is linear, as it is for accesses of both. `bytes` 0: the best.
  std::optional<Ceiling> at(double bytes) const {
    if (!(bytes > 0) || by_bytes_.empty() || bytes > widest_bytes()) return best_;
    const auto above = by_bytes_.lower_bound(bytes);
    if (above->first == bytes) return above->second;
    if (above == by_bytes_.begin()) return scaled(above->second, bytes / above->first);
    const auto& [low_bytes, low] = *std::prev(above);
    const double share = (bytes - low_bytes) / (above->first - low_bytes);
    return scaled(
        in_turn(scaled(low, 1 / low_bytes), scaled(above->second, 1 / above->first), share), bytes);
  }

 private:
  std::map<double, Ceiling> by_bytes_;
  std::optional<Ceiling> best_;
};

void lower(std::optional<Ceiling>& lowest, const std::optional<Ceiling>& bound) {
  if (!bound) return;
  if (!lowest) {
    lowest = bound;
    return;
  }
  const double low = std::min(lowest->low, bound->low);
  const double high = std::min(lowest->high, bound->high);
  if (bound->per_s < lowest->per_s) lowest = bound;
  lowest->low = low;
  lowest->high = high;
}

}  // namespace

std::optional<Ceiling> l1_ceiling(const Machine& machine, const TrafficMix& mix, double cores) {
  const BySize loads(machine, "read", cores), stores(machine, "write", cores);
  double load_bytes = mix.bytes_per_load, store_bytes = mix.bytes_per_store;
  // Of one side alone the size is known: the other may be as wide as can be.
  if (load_bytes == 0 && store_bytes > 0) load_bytes = std::max(store_bytes, loads.widest_bytes());
  if (store_bytes == 0 && load_bytes > 0) store_bytes = std::max(load_bytes, stores.widest_bytes());
  const bool known = load_bytes > 0;
  const double written_share = 1 - mix.read_share;

  std::optional<Ceiling> lowest;
  if (mix.read_share > 0)
    if (const auto bound = loads.at(load_bytes)) lower(lowest, scaled(*bound, 1 / mix.read_share));
  if (written_share > 0)
    if (const auto bound = stores.at(store_bytes)) lower(lowest, scaled(*bound, 1 / written_share));

  // Accesses for each byte, and which of them are loads.
  const double n_loads = mix.read_share / (known ? load_bytes : 1);
  const double n_stores = written_share / (known ? store_bytes : 1);
  const double narrower = known ? std::min(load_bytes, store_bytes) : 0;
  const double to_bytes = known ? 1 / ((n_loads + n_stores) * narrower) : 1;
  const auto together = between_patterns(
      patterns, n_loads / (n_loads + n_stores),
      [&](const Pattern& pattern) { return BySize(machine, pattern.name, cores).at(narrower); });
  if (together) lower(lowest, scaled(*together, to_bytes));
  return lowest;
}

double widest_l1_access_bytes(const Machine& machine) {
  double widest = 0;
  for (const BandwidthCeiling& one : machine.bandwidth)
    if (one.level == level) widest = std::max(widest, access_bytes_of(one.isa));
  return widest;
}

}  // namespace roofmark::model

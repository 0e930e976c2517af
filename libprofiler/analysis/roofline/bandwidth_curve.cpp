#include "analysis/roofline/bandwidth_curve.hpp"

#include <algorithm>
#include <map>

#include "analysis/roofline/ceilings.hpp"
#include "analysis/roofline/curve.hpp"
#include "analysis/roofline/sane.hpp"

namespace roofmark::model {
namespace {

/// Each core has a private instance, so that its bandwidth grows with the cores.
bool is_private(const Machine& machine, const std::string& level) {
  for (const CacheLevel& cache : machine.topology.caches)
    if (cache.name == level) return cache.shared_by <= 1;
  return level == "L1";
}

Ceiling as_ceiling(const BandwidthCeiling& from, Unit unit) {
  const Ceiling ceiling{from.level + " " + from.pattern,
                        from.interface_bytes_per_s,
                        from.low,
                        from.high,
                        double(from.threads),
                        from.source};
  if (unit == Unit::interface) return ceiling;
  return scaled(ceiling, from.program_bytes_per_s / from.interface_bytes_per_s);
}

}  // namespace

std::optional<Ceiling> bandwidth_at(const Machine& machine, const std::string& level, double cores,
                                    Unit unit,
                                    const std::function<bool(const BandwidthCeiling&)>& wanted) {
  std::vector<const BandwidthCeiling*> chosen;
  for (const BandwidthCeiling& ceiling : machine.bandwidth)
    if (ceiling.level == level && wanted(ceiling)) chosen.push_back(&ceiling);
  return bandwidth_at(machine, level, cores, unit, chosen);
}

std::optional<Ceiling> bandwidth_at(const Machine& machine, const std::string& level, double cores,
                                    Unit unit, const std::vector<const BandwidthCeiling*>& chosen) {
  // One curve for each size of pages: where not all were measured on all cores, a point in small
  // pages on many says nothing against one in large pages on few.
  std::map<double, Curve> curves;
  for (const BandwidthCeiling* const one : chosen) {
    const BandwidthCeiling& ceiling = *one;
    if (!is_rate(ceiling.interface_bytes_per_s)) continue;
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

}  // namespace roofmark::model

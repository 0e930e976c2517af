#include "projection.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <roofmark/roofline.hpp>
#include <set>

#include "analysis/roofline/gpu_machine.hpp"
#include "analysis/text/parsing.hpp"
#include "analysis/text/plain_text.hpp"

namespace roofmark {
namespace {

void scale(BandwidthCeiling& ceiling, double factor) {
  for (double* rate :
       {&ceiling.interface_bytes_per_s, &ceiling.program_bytes_per_s, &ceiling.low, &ceiling.high})
    *rate *= factor;
  ceiling.source = Source::theoretical;
}

void scale(ComputeCeiling& ceiling, double factor) {
  for (double* rate : {&ceiling.flop_per_s, &ceiling.flop_per_cycle, &ceiling.low, &ceiling.high})
    *rate *= factor;
  ceiling.source = Source::theoretical;
}

/// How many ceilings were moved.
std::size_t apply(Machine& machine, const Scaling& scaling) {
  std::size_t moved = 0;
  if (scaling.ceiling == "peak") {
    for (ComputeCeiling& ceiling : machine.compute) scale(ceiling, scaling.factor), ++moved;
    return moved;
  }
  for (BandwidthCeiling& ceiling : machine.bandwidth)
    if (scaling.ceiling == "bandwidth" ||
        text::lowered(ceiling.level) == text::lowered(scaling.ceiling))
      scale(ceiling, scaling.factor), ++moved;
  return moved;
}

std::string known_ceilings(const Machine& machine) {
  std::set<std::string> levels;
  for (const BandwidthCeiling& ceiling : machine.bandwidth) levels.insert(ceiling.level);
  std::string text;
  if (!machine.compute.empty()) text = "peak";
  if (!levels.empty())
    text += fmt::format("{}bandwidth, {}", text.empty() ? "" : ", ", fmt::join(levels, ", "));
  return text;
}

/// The region as it would be judged there, by its own work.
Projected projected(const Region& region, const Machine& machine) {
  Region alone = region;
  alone.work = region.self;
  alone.rooflines.clear();
  alone.self_rooflines.clear();
  const Roofline roofline = judge(alone, machine);
  Projected result;
  result.side = roofline.side;
  result.binding = roofline.binding;
  if (roofline.explained_s)
    result.at_best_s = roofline.explained_s->value;
  else
    result.reason =
        roofline.verdict_detail.empty() ? "no ceiling of it applies" : roofline.verdict_detail;
  return result;
}

}  // namespace

std::vector<Projection> project(const Profile& profile, const std::vector<NamedRoof>& roofs) {
  const bool gpu = kernels_alone(profile);
  std::vector<Projection> all;
  for (std::size_t i = 0; i < profile.regions.size(); ++i) {
    // A kernel's bytes are those of its GPU's interfaces: no roof of a host is over them.
    if (profile.regions[i].kernel && !gpu) continue;
    Projection one{i, {}};
    for (const NamedRoof& roof : roofs)
      one.roofs.push_back(projected(profile.regions[i], with_ceilings(roof.machine)));
    all.push_back(std::move(one));
  }
  return all;
}

Result<Scaling> parse_scaling(const std::string& text) {
  const auto refused = [&](const std::string& reason) {
    return tl::unexpected(
        Problem{reason, "--what-if '" + text + "'", "as in --what-if DRAM=4x or peak=2x"});
  };
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0) return refused("it is not CEILING=FACTOR");
  std::string_view factor = text::trimmed(std::string_view(text).substr(equals + 1));
  if (!factor.empty() && (factor.back() == 'x' || factor.back() == 'X')) factor.remove_suffix(1);
  const auto number = text::real_number(factor);
  if (!number || !std::isfinite(*number) || *number <= 0)
    return refused("the factor is no number above 0");
  return Scaling{std::string(text::trimmed(std::string_view(text).substr(0, equals))), *number};
}

Result<NamedRoof> scaled(const Machine& machine, const std::vector<Scaling>& scalings) {
  NamedRoof roof{"", with_ceilings(machine)};
  for (const Scaling& scaling : scalings) {
    if (apply(roof.machine, scaling) == 0) {
      const std::string known = known_ceilings(with_ceilings(machine));
      return tl::unexpected(Problem{
          "the machine has no ceiling `" + text::printable(scaling.ceiling) + "`", "--what-if",
          known.empty() ? "the profile has no ceilings: record without --no-machine"
                        : "choose one of " + known});
    }
    roof.name += fmt::format("{}{} x{}", roof.name.empty() ? "" : ", ", scaling.ceiling,
                             fmt::format("{:.3g}", scaling.factor));
  }
  return roof;
}

}  // namespace roofmark

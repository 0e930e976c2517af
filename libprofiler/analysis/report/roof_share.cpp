#include "roof_share.hpp"

#include <cmath>

#include "numbers.hpp"
#include "region_row.hpp"

namespace roofmark::report {

std::optional<RoofShare> share_beside_verdict(const Roofline& roofline,
                                              std::optional<double> wall_s) {
  const auto& machine = roofline.fraction;
  if (!machine || !std::isfinite(*machine)) return std::nullopt;
  RoofShare made{*machine, ""};
  if (roofline.verdict != Verdict::above_roof) return made;
  const auto& written = roofline.fraction_as_written;
  if (written && std::isfinite(*written))
    made = {*written, "as written"};
  else if (roofline.explained_s && wall_s && *wall_s > 0)
    made = {roofline.explained_s->value / *wall_s, "on its cores"};
  // One core is the machine: then there is one roof.
  if (std::abs(made.share - *machine) <= 1e-6 * *machine) made.of = "";
  return made;
}

std::string roof_percent(const Roofline& roofline, const RoofShare& share) {
  const double spread = std::isfinite(roofline.uncertainty) ? roofline.uncertainty : 0;
  std::string text = percent(share.share, spread);
  if (roofline.verdict == Verdict::above_roof && share.share > 1 && text == "100%") return ">100%";
  return text;
}

RoofShare share_beside_verdict(const RegionRow& row) {
  const RoofShare machine{row.fraction.value(), ""};
  if (row.roofline == nullptr) return machine;
  const auto time_s = row.time_s ? std::optional(row.time_s.value()) : std::nullopt;
  return share_beside_verdict(*row.roofline, time_s).value_or(machine);
}

std::string roof_percent(const RegionRow& row) {
  if (row.roofline == nullptr) return percent(row.fraction.value(), row.fraction_spread());
  return roof_percent(*row.roofline, share_beside_verdict(row));
}

}  // namespace roofmark::report

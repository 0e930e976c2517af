// Which share of which roof stands beside a verdict. Of the machine's roof, as a rule; `above roof`
// is said of the roof of the code as it ran, and beside it "60 %" of another would read as wrong.
#pragma once

#include <optional>
#include <roofmark/roofline.hpp>
#include <string>

namespace roofmark::report {

struct RegionRow;

struct RoofShare {
  double share = 0;
  const char* of = "";  ///< "as written", "on its cores"; empty: the machine's roof
};
/// `wall_s`: the time that was judged, where it is known.
std::optional<RoofShare> share_beside_verdict(const Roofline& roofline,
                                              std::optional<double> wall_s);

/// "40%"; what is above its roof never rounds to a hundred: ">100%".
std::string roof_percent(const Roofline& roofline, const RoofShare& share);
/// Of a row whose `fraction` is known.
RoofShare share_beside_verdict(const RegionRow& row);
std::string roof_percent(const RegionRow& row);

}  // namespace roofmark::report

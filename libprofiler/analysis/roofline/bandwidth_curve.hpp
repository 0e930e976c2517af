// The measured bandwidths of one interface as a function of the cores that are active.
#pragma once

#include <functional>
#include <optional>
#include <roofmark/profile.hpp>
#include <roofmark/roofline.hpp>
#include <string>
#include <vector>

namespace roofmark::model {

/// Whose bytes: what crosses the interface, or what the program asked for.
enum class Unit { interface, program };

/// Which pages the memory of a ceiling was in.
struct Pages {
  double bytes = 0;  ///< 0: of any size, the best counts
  bool match(const BandwidthCeiling& ceiling) const {
    return bytes == 0 || ceiling.page_bytes == bytes;
  }
};

/// Bytes/s of one level among the ceilings that are `wanted`; nothing where there are none.
std::optional<Ceiling> bandwidth_at(const Machine& machine, const std::string& level, double cores,
                                    Unit unit,
                                    const std::function<bool(const BandwidthCeiling&)>& wanted);

/// The same of ceilings that were chosen before, all of that level.
std::optional<Ceiling> bandwidth_at(const Machine& machine, const std::string& level, double cores,
                                    Unit unit, const std::vector<const BandwidthCeiling*>& chosen);

}  // namespace roofmark::model

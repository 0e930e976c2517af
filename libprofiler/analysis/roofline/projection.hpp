// Regions under other roofs than their own: another machine's, or this one's with a ceiling moved.
#pragma once

#include <cstddef>
#include <optional>
#include <roofmark/profile.hpp>
#include <roofmark/result.hpp>
#include <string>
#include <vector>

namespace roofmark {

struct NamedRoof {
  std::string name;
  Machine machine;
};

/// A region's work under one roof.
struct Projected {
  std::optional<double> at_best_s;  ///< what its ceilings explain: it can't be faster there
  std::string binding;              ///< the ceiling that takes longest
  Side side = Side::unknown;
  std::string reason;  ///< why there is no time
};

struct Projection {
  std::size_t region = 0;
  std::vector<Projected> roofs;  ///< as the roofs were given
};

/// For every region by its own work, without its children. The bytes are those that were counted:
/// with other caches they would be others.
std::vector<Projection> project(const Profile& profile, const std::vector<NamedRoof>& roofs);

/// A ceiling and its factor: "bandwidth=4x", "DRAM=2x", "peak=1.5x".
struct Scaling {
  std::string ceiling;  ///< "bandwidth", "peak", or a level as a machine spells it
  double factor = 1;
};
Result<Scaling> parse_scaling(const std::string& text);

/// The machine with those of its ceilings moved; a Problem where it has none of that name.
Result<NamedRoof> scaled(const Machine& machine, const std::vector<Scaling>& scalings);

}  // namespace roofmark

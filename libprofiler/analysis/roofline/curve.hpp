// A ceiling as a function of the cores that are active, from a few measured counts.
#pragma once

#include <map>
#include <optional>
#include <roofmark/roofline.hpp>

namespace roofmark::model {

/// The same ceiling in another unit, or of so many times as much.
Ceiling scaled(Ceiling ceiling, double factor);

class Curve {
 public:
  /// What holds outside the measured counts.
  enum class Beyond {
    hold,   ///< the nearest measured value: what is shared does not grow with cores
    scale,  ///< in proportion to the cores: each core has its own
  };

  /// Of two values for one count the higher stays: how the cores were placed is not known, and a
  /// roof must not be too low.
  void add(const Ceiling& ceiling);

  /// Linear between measured counts.
  std::optional<Ceiling> at(double cores, Beyond beyond) const;

 private:
  std::map<double, Ceiling> points_;
};

}  // namespace roofmark::model

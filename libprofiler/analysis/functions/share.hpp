// How well a number of samples tells a share.
#pragma once

namespace roofmark::functions {

struct Share {
  double value = 0, low = 0, high = 0;
};

/// Wilson's interval of two standard errors for a share `part / all` that `samples` independent
/// samples told: (p + z^2/2n -+ z sqrt(p(1-p)/n + z^2/4n^2)) / (1 + z^2/n), z = 2. It never leaves
/// [0, 1]. Samples at equal distances tell more than independent ones, so the truth is rarely
/// outside.
Share share_of(double part, double all, double samples);

}  // namespace roofmark::functions

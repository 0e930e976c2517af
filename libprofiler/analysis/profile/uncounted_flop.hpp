// FLOPs that were not counted beside those that were: zero in one precision says nothing of
// another.
#pragma once

#include <optional>
#include <roofmark/profile.hpp>
#include <vector>

namespace roofmark {

/// Of a work with a count of some precision: the first precision, of those in which code usually
/// computes there, that is missing. Nothing where a count covers every precision, and where no
/// precision was counted at all: that is another case.
std::optional<Missing> uncounted_flop(const Work& work, const std::vector<Missing>& missing);

/// Whether every count of FLOPs or of tensor operations is zero.
bool counts_no_flop(const Work& work);

}  // namespace roofmark

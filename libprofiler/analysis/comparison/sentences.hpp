// What the numbers of a comparison mean, in words.
#pragma once

#include <string>
#include <vector>

#include "comparison.hpp"

namespace roofmark::comparison {

/// Most telling first; empty where nothing moved beyond the noise.
std::vector<std::string> sentences_of(const RegionChange& region, const Comparison& comparison);

/// "3 regions are faster, 1 is slower, 5 are the same within the noise; ..."
std::string summary_of(const Comparison& comparison);

/// The test and what it assumes.
std::string method_of(const Comparison& comparison);

/// "+12 %", "-3.1 %"; "2.1x" beyond a factor of two.
std::string change_text(double ratio);
/// The relative change to the digits that its range carries: what is far inside it is 0.
double told_relative(const Change& change);
/// The same in words.
std::string change_text(const Change& change);
/// Its time on one side.
std::string time_text(const Change& change, bool after, bool utf8 = true);

}  // namespace roofmark::comparison

// Regions that are functions of a C++ program, by names for people.
#pragma once

#include <roofmark/profile.hpp>
#include <vector>

namespace roofmark {

/// Replaces names as the compiler writes them by names as the source has them, where no other
/// region is called so: paths that differ stay different.
void name_functions(std::vector<Region>& regions);

}  // namespace roofmark

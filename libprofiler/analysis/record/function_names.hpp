// Regions that are functions of a C++ program, by names for people.
#pragma once

#include <map>
#include <roofmark/profile.hpp>
#include <set>
#include <string>
#include <vector>

namespace roofmark {

/// What those names are replaced by that are written as the compiler does and not alike then.
std::map<std::string, std::string> readable_names(const std::set<std::string>& names);

/// Replaces names as the compiler writes them by names as the source has them, where no other
/// region is called so: paths that differ stay different.
void name_functions(std::vector<Region>& regions);

}  // namespace roofmark

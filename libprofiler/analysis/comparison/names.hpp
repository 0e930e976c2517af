// Regions that have another name after: what `--map` says.
#pragma once

#include <map>
#include <optional>
#include <roofmark/profile.hpp>
#include <roofmark/result.hpp>
#include <string>
#include <vector>

namespace roofmark::comparison {

/// By the path before: that after. A region that would meet another one of the runs before under
/// its new name: two regions would be taken for runs of one.
std::optional<Problem> collision_of_names(const std::vector<Profile>& before,
                                          const std::map<std::string, std::string>& renamed);

}  // namespace roofmark::comparison

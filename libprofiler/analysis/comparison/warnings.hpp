// What makes two groups of runs hard to compare.
#pragma once

#include <map>
#include <roofmark/profile.hpp>
#include <string>
#include <vector>

namespace roofmark::comparison {

/// Other machines, other commands, ceilings that were measured anew and moved, renamed regions that
/// are in no run: one sentence each.
std::vector<std::string> warnings_of(const std::vector<Profile>& before,
                                     const std::vector<Profile>& after,
                                     const std::map<std::string, std::string>& renamed);

/// Whether both ran on processors of one kind with the same cores.
bool same_machine(const Machine& a, const Machine& b);

}  // namespace roofmark::comparison

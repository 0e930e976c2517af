// What a profile says of its recording in sentences: what was waited for, lost, or not reached.
#pragma once

#include <analysis/join/join.hpp>
#include <analysis/join/join_counts.hpp>
#include <analysis/join/region_tree.hpp>
#include <cstddef>
#include <optional>
#include <roofmark/profile.hpp>
#include <set>
#include <vector>

namespace roofmark {

/// How much of the time that the program's threads could have run they waited for a core. Times are
/// wall times: that is in them.
std::optional<double> waited_share(const WholeProgram& whole);

bool waited_much(const WholeProgram& whole);

void note_waiting(const WholeProgram& whole, Profile& profile);

void note_processes(const JoinInput& input, Profile& profile);

void note_counts(const JoinInput& input, const std::set<std::size_t>& launching, Profile& profile);

/// Why counts are incomplete, and which marked regions lack theirs, the slowest first. What was
/// done outside of them always is where the runs may differ.
void note_not_reached(const JoinInput& input, const RegionTree& tree,
                      const std::vector<RegionWork>& work, Profile& profile);

/// Where nothing was counted, a region stands at what was declared inside it, which need not be
/// all.
void note_declared_inside(Profile& profile);

}  // namespace roofmark

// What single threads did in a region: its time and its counts, where both are known of the same
// thread, and why they are not of the others.
#pragma once

#include <analysis/join/join.hpp>
#include <analysis/join/region_tree.hpp>
#include <cstddef>
#include <roofmark/profile.hpp>
#include <set>
#include <string>
#include <vector>

namespace roofmark {

/// Fills Region::shares of the regions that several threads worked in and that the counted pass has
/// counts of. `rows`: by region of the profile, the tree's. `launching`: processes that are
/// nobody's.
void add_thread_shares(const CountedPass& counted, const std::vector<RawProcess>& native,
                       const std::string& main_executable, const std::set<std::size_t>& launching,
                       const std::vector<std::size_t>& rows, RegionTree& tree, Profile& profile);

/// At most `most_shares`, by number: those at even steps of their own time, the fastest and the
/// slowest among them. What goes is left out, with that reason.
void thin_out(WorkShares& shares);

/// The regions with the most time of their own keep their shares, up to `most_shares_of_all`.
void limit_shares(Profile& profile);

}  // namespace roofmark

// Functions that sampling found, as regions of the tree: their times, and how their counts are
// taken.
#pragma once

#include <analysis/join/join.hpp>
#include <analysis/join/join_counts.hpp>
#include <analysis/join/region_tree.hpp>
#include <vector>

namespace roofmark {

/// Makes a region of each piece of found code; by region of the tree, null: it was marked, or is
/// the whole program.
std::vector<const FoundCode*> plant(const FoundProgram& found, RegionTree& tree);

/// What no function's row counted goes to the row of the rest; the program itself did nothing but
/// run them.
void settle_found(const CountedPass& pass, const std::vector<const FoundCode*>& found,
                  const RegionTree& tree, std::vector<SelfCounts>& counts);

/// Fills in what is known of a found region but its counts.
void set_found(Region& row, const FoundCode& code);

/// Why a found region has no counts.
Problem found_gap_reason(const FoundCode& code, Gap gap, const JoinInput& input);

/// The time of the program that none of its functions had: it waited.
Measure waiting_of(const FoundProgram& found, double wall_s);

}  // namespace roofmark

// What the shares of threads and those of ranks are made of.
#pragma once

#include <analysis/join/join.hpp>
#include <analysis/join/region_tree.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <roofmark/profile.hpp>
#include <string>

namespace roofmark {

/// One thread in one region, its child regions left out.
struct CountedRow {
  std::uint64_t visits = 0;
  bool in_part = false, worked = false;
  WorkShare::Part counts;
};
CountedRow counted_row(const RegionCounts& row);

/// A level that a part lacks is lacked by the sum.
void add(WorkShare::Part& sum, const WorkShare::Part& part);

/// Only quantities that the region itself has by this pass: their sources are the region's.
void keep_counted(WorkShare::Part& part, const Work& work, const std::string& collector);
bool any_flop(const Work& work, const std::string& collector);

/// Adds to those of this reason.
void leave_out(WorkShares& shares, std::uint64_t count, WorkShares::LeftOut reason);

extern const WorkShares::LeftOut other_visits, in_part;

/// One thread's or rank's counts and visits of a region; null and 0 where it has none.
using CountsOfOne = std::function<const CountedRow*(std::size_t region)>;
using VisitsOfOne = std::function<std::uint64_t(std::size_t region)>;

/// The share of who did `own` in the region; without its work inside where that is not known.
WorkShare share_of(const RegionTree& tree, std::size_t index, const CountedRow& own,
                   const CountsOfOne& counts_in, const VisitsOfOne& visits_in);

}  // namespace roofmark

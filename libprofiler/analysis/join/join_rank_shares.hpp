// What single ranks of a job did in a region, where the job was run twice as a whole: each rank's
// time in the timed run and its counts in the other, by the number that its launcher gave it.
#pragma once

#include <analysis/join/join.hpp>
#include <analysis/join/region_tree.hpp>
#include <analysis/join/share_parts.hpp>
#include <cstddef>
#include <map>
#include <optional>
#include <roofmark/profile.hpp>
#include <set>
#include <string>
#include <vector>

namespace roofmark {

class RankCounts {
 public:
  /// `launching`: processes of the counted run that are nobody's.
  RankCounts(const CountedPass& counted, const std::vector<RawProcess>& native,
             const std::string& main_executable, const std::set<std::size_t>& launching,
             RegionTree& tree);

  /// Of one region of the tree, whose row in the profile is `row`.
  std::optional<WorkShares> of(std::size_t index, const Region& row) const;

 private:
  using OfRanks = std::map<unsigned, CountedRow>;

  void add_rank(std::size_t index, unsigned rank, const Region& row, WorkShares& shares) const;
  const CountedRow* counted_of(std::size_t index, unsigned rank) const;
  std::uint64_t visits_of(std::size_t index, unsigned rank) const;

  const RegionTree& tree_;
  std::string collector_;
  bool any_ = false;                                       ///< the counted run knows its ranks
  std::vector<OfRanks> counted_;                           ///< by region
  std::vector<std::map<unsigned, std::uint64_t>> visits_;  ///< in the timed run, by region
};

}  // namespace roofmark

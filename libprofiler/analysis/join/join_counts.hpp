// The counts of a pass, brought onto the regions of the native pass: per visit, and summed over
// descendants.
#pragma once

#include <analysis/join/join.hpp>
#include <analysis/join/region_tree.hpp>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace roofmark {

/// What one region did by itself in the counted pass, over all threads and processes.
struct SelfCounts {
  bool seen = false;
  bool passed_over = false;  ///< visits of it came before counting began
  bool partial = false;      ///< it was open when counting began
  std::uint64_t visits = 0;
  std::uint64_t open_visits = 0;  ///< that the pass did not see the end of
  bool left_open = false;         ///< some of them in processes that the program left running
  std::vector<ComputeClass> mix;
  std::map<std::string, std::uint64_t> operations;
  std::map<std::string, CountedTraffic> bytes;
  std::set<std::string> flags;
};

/// Where the counts of one row belong in the tree; made where only the counted pass entered it.
std::size_t region_of(const RegionCounts& row, const ProcessCounts& process,
                      const std::string& main_executable, RegionTree& tree);

/// One entry per region of the tree. Regions that only the counted pass entered are added to it.
/// `left_out`: processes whose counts are nobody's.
std::vector<SelfCounts> collect(const CountedPass& pass, const std::string& main_executable,
                                const std::set<std::size_t>& left_out, RegionTree& tree);

/// Why a quantity of a region is not known.
enum class Gap { none, not_entered, passed_over, cut_short, not_simulated, child };

struct RegionWork {
  Work work, self;
  std::set<std::string> flags;
  Gap flop_gap = Gap::none;
  std::map<std::string, Gap> bytes_gap;  ///< by interface, those that are absent from `work`
};

/// The native pass's share of the counts: counts per visit times native visits.
std::vector<RegionWork> counted_work(const CountedPass& pass, const std::vector<SelfCounts>& counts,
                                     const RegionTree& tree);

/// The interfaces that every region should have bytes for.
std::vector<std::string> interfaces(const CountedPass* pass);

}  // namespace roofmark

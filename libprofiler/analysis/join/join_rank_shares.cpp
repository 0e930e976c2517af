#include <algorithm>
#include <analysis/join/join_counts.hpp>
#include <analysis/join/join_rank_shares.hpp>
#include <utility>

namespace roofmark {

RankCounts::RankCounts(const CountedPass& counted, const std::vector<RawProcess>& native,
                       const std::string& main_executable, const std::set<std::size_t>& launching,
                       RegionTree& tree)
    : tree_(tree), collector_(counted.collector) {
  counted_.resize(tree.regions().size());
  visits_.resize(tree.regions().size());
  for (std::size_t region = 0; region < visits_.size(); ++region)
    for (const ThreadTime& time : tree[region].by_thread)
      if (const auto& rank = native[time.process].rank) visits_[region][*rank] += time.visits;
  for (std::size_t i = 0; i < counted.processes.size(); ++i) {
    const ProcessCounts& process = counted.processes[i];
    if (!process.rank || launching.count(i) != 0) continue;
    any_ = true;
    for (const RegionCounts& row : process.regions) {
      const std::size_t region = region_of(row, process, main_executable, tree);
      if (region >= counted_.size()) continue;
      CountedRow made = counted_row(row);
      const auto [known, is_new] = counted_[region].try_emplace(*process.rank, made);
      if (is_new) continue;
      known->second.visits += made.visits;
      known->second.in_part = known->second.in_part || made.in_part;
      add(known->second.counts, made.counts);
    }
  }
}

std::optional<WorkShares> RankCounts::of(std::size_t index, const Region& row) const {
  if (index == RegionTree::root || !row.ranks || !any_flop(row.work, collector_))
    return std::nullopt;
  WorkShares shares;
  shares.of = WorkShares::Of::ranks;
  shares.two_runs = true;
  shares.total = row.ranks->ranks;
  if (!any_) {
    leave_out(shares, shares.total,
              {0, "the counted run of the whole job does not say which rank did what",
               "mpirun -n N roofmark record -o FOLDER -- PROGRAM, then roofmark merge FOLDER"});
    return shares;
  }
  for (const auto& [rank, time] : tree_[index].by_rank) add_rank(index, rank, row, shares);
  return shares;
}

void RankCounts::add_rank(std::size_t index, unsigned rank, const Region& row,
                          WorkShares& shares) const {
  const CountedRow* const own = counted_of(index, rank);
  if (own == nullptr || own->visits != visits_of(index, rank))
    return leave_out(shares, 1, other_visits);
  if (own->in_part) return leave_out(shares, 1, in_part);
  const RankPart& time = tree_[index].by_rank.at(rank);
  WorkShare share = share_of(
      tree_, index, *own, [&](std::size_t region) { return counted_of(region, rank); },
      [&](std::size_t region) { return visits_of(region, rank); });
  share.number = rank;
  share.self.wall_s = time.self_s;
  share.work.wall_s = time.time_s;
  keep_counted(share.self, row.self, collector_);
  keep_counted(share.work, row.work, collector_);
  shares.each.push_back(std::move(share));
}

const CountedRow* RankCounts::counted_of(std::size_t index, unsigned rank) const {
  if (index >= counted_.size()) return nullptr;
  const auto found = counted_[index].find(rank);
  return found != counted_[index].end() ? &found->second : nullptr;
}

std::uint64_t RankCounts::visits_of(std::size_t index, unsigned rank) const {
  if (index >= visits_.size()) return 0;
  const auto found = visits_[index].find(rank);
  return found != visits_[index].end() ? found->second : 0;
}

}  // namespace roofmark

#include <algorithm>
#include <analysis/join/join_counts.hpp>
#include <analysis/join/join_rank_shares.hpp>
#include <analysis/join/join_ranks.hpp>
#include <analysis/join/join_shares.hpp>
#include <analysis/join/share_parts.hpp>
#include <map>
#include <numeric>
#include <optional>
#include <utility>

namespace roofmark {
namespace {

using Reason = WorkShares::LeftOut;

const Reason ended_early{
    0,
    "threads had ended before the program did: of those only the sum of their times is kept, so "
    "that which of the others is which is not known",
    "let the threads live as long as the program, as a pool does"};
const Reason without_region{
    0,
    "the thread worked for the region without opening one of its own: its time in it is not "
    "known",
    "open a region in the thread, or --annotations openmp"};
/// Which thread of the timed run is which of the counted one: those that entered regions, in the
/// order in which the process's first thread made them.
struct Pairing {
  std::map<std::size_t, std::uint64_t> native;     ///< by place in RawProcess::threads
  std::map<std::uint32_t, std::uint64_t> counted;  ///< by CountedThread::serial
  std::size_t native_process = 0, counted_process = 0;
  std::optional<Reason> none;  ///< why there is none at all
};

bool entered(const RawNode& node) {
  return node.visits > 0 || node.open_since.has_value();
}

std::optional<Reason> order_native(const RawProcess& process, Pairing& pairing) {
  std::vector<std::size_t> order;
  std::optional<int> creator;
  for (std::size_t i = 0; i < process.threads.size(); ++i) {
    const RawThread& thread = process.threads[i];
    if (!std::any_of(thread.nodes.begin(), thread.nodes.end(), entered)) continue;
    if (thread.folded) return ended_early;
    order.push_back(i);
    if (thread.main) continue;
    if (!thread.creator_tid || (creator && creator != thread.creator_tid))
      return Reason{0,
                    "its threads were not all made by the same one, so that their order may differ "
                    "from run to run",
                    ""};
    creator = thread.creator_tid;
  }
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    const RawThread &x = process.threads[a], &y = process.threads[b];
    return x.main != y.main ? x.main : x.created_ticks < y.created_ticks;
  });
  for (std::size_t i = 0; i < order.size(); ++i) pairing.native[order[i]] = i;
  return std::nullopt;
}

void order_counted(const ProcessCounts& process, Pairing& pairing) {
  std::set<std::uint32_t> serials;
  for (const RegionCounts& row : process.regions)
    if (!row.path.empty() && row.visits > 0) serials.insert(row.thread);
  std::uint64_t number = 0;
  for (const std::uint32_t serial : serials) pairing.counted[serial] = number++;
}

/// The only process of each run that entered regions.
Pairing pair_up(const CountedPass& counted, const std::vector<RawProcess>& native,
                const std::set<std::size_t>& launching) {
  Pairing pairing;
  std::size_t natives = 0, counts = 0;
  for (std::size_t i = 0; i < native.size(); ++i)
    for (const RawThread& thread : native[i].threads)
      if (std::any_of(thread.nodes.begin(), thread.nodes.end(), entered)) {
        pairing.native_process = i;
        ++natives;
        break;
      }
  for (std::size_t i = 0; i < counted.processes.size(); ++i) {
    const auto& rows = counted.processes[i].regions;
    if (launching.count(i) != 0) continue;
    if (std::none_of(rows.begin(), rows.end(), [](const auto& row) { return !row.path.empty(); }))
      continue;
    pairing.counted_process = i;
    ++counts;
  }
  if (natives != 1 || counts != 1) {
    pairing.none = Reason{
        0,
        "several processes took part, in the timed run and in the counted one: which is which "
        "is not known",
        ""};
    return pairing;
  }
  pairing.none = order_native(native[pairing.native_process], pairing);
  if (pairing.none) return pairing;
  order_counted(counted.processes[pairing.counted_process], pairing);
  if (pairing.native.size() != pairing.counted.size())
    pairing.none = Reason{0,
                          "the timed run had " + std::to_string(pairing.native.size()) +
                              " threads with regions and the counted one " +
                              std::to_string(pairing.counted.size()) +
                              ": which is which is not "
                              "known",
                          "make the program start as many threads in both runs (OMP_NUM_THREADS)"};
  return pairing;
}

class ThreadShares {
 public:
  ThreadShares(const CountedPass& counted, const std::vector<RawProcess>& native,
               const std::string& main_executable, const std::set<std::size_t>& launching,
               RegionTree& tree)
      : tree_(tree), collector_(counted.collector), pairing_(pair_up(counted, native, launching)) {
    if (job_of(native)) ranks_.emplace(counted, native, main_executable, launching, tree);
    rows_.resize(tree.regions().size());
    passing_.resize(tree.regions().size());
    if (pairing_.none) return;
    const ProcessCounts& process = counted.processes[pairing_.counted_process];
    for (const RegionCounts& row : process.regions) {
      const std::size_t region = region_of(row, process, main_executable, tree_);
      if (region >= rows_.size()) continue;
      CountedRow made = counted_row(row);
      if (made.visits == 0 && made.worked) ++passing_[region];
      if (const auto number = pairing_.counted.find(row.thread); number != pairing_.counted.end())
        rows_[region][number->second] = std::move(made);
    }
  }

  std::optional<WorkShares> of(std::size_t index, const Region& row) const {
    if (ranks_) return ranks_->of(index, row);
    const MergedRegion& region = tree_[index];
    if (index == RegionTree::root || region.found || !any_flop(row.work, collector_))
      return std::nullopt;
    WorkShares shares;
    shares.two_runs = true;
    std::uint64_t visiting = 0;
    for (const ThreadTime& time : region.by_thread) visiting += time.threads;
    shares.total = visiting + passing_[index];
    if (shares.total < 2) return std::nullopt;
    if (pairing_.none) {
      leave_out(shares, shares.total, *pairing_.none);
      return shares;
    }
    leave_out(shares, passing_[index], without_region);
    for (const ThreadTime& time : region.by_thread) add_thread(index, row, time, shares);
    return shares;
  }

 private:
  const CountedRow* row_of(std::size_t region, std::uint64_t number) const {
    const auto found = rows_[region].find(number);
    return found != rows_[region].end() ? &found->second : nullptr;
  }

  std::uint64_t native_visits(std::size_t region, std::size_t thread) const {
    for (const ThreadTime& time : tree_[region].by_thread)
      if (time.process == pairing_.native_process && time.thread == thread) return time.visits;
    return 0;
  }

  void add_thread(std::size_t index, const Region& row, const ThreadTime& time,
                  WorkShares& shares) const {
    const std::uint64_t number = pairing_.native.at(time.thread);
    const CountedRow* own = row_of(index, number);
    if (own == nullptr || own->visits != time.visits) return leave_out(shares, 1, other_visits);
    if (own->in_part) return leave_out(shares, 1, in_part);
    WorkShare share = share_of(
        tree_, index, *own, [&](std::size_t region) { return row_of(region, number); },
        [&](std::size_t region) { return native_visits(region, time.thread); });
    share.number = number;
    share.self.wall_s = time.self_s;
    share.work.wall_s = time.time_s;
    keep_counted(share.self, row.self, collector_);
    keep_counted(share.work, row.work, collector_);
    shares.each.push_back(std::move(share));
  }

  RegionTree& tree_;
  std::string collector_;
  Pairing pairing_;
  std::optional<RankCounts> ranks_;  ///< of a job, whose shares are those of ranks
  std::vector<std::map<std::uint64_t, CountedRow>> rows_;  ///< by region and number of the thread
  std::vector<std::uint64_t> passing_;  ///< threads that worked in it and did not enter it
};

}  // namespace

void thin_out(WorkShares& shares) {
  const std::size_t all = shares.each.size();
  if (all > most_shares) {
    std::sort(shares.each.begin(), shares.each.end(), [](const WorkShare& a, const WorkShare& b) {
      return a.self.wall_s != b.self.wall_s ? a.self.wall_s < b.self.wall_s : a.number < b.number;
    });
    std::vector<WorkShare> kept;
    for (std::size_t i = 0; i < most_shares; ++i)
      kept.push_back(std::move(shares.each[i * (all - 1) / (most_shares - 1)]));
    shares.each = std::move(kept);
    leave_out(shares, all - most_shares,
              {0,
               std::to_string(most_shares) +
                   " of a region are kept: those at even steps of their time, the fastest and "
                   "the slowest among them",
               ""});
  }
  std::sort(shares.each.begin(), shares.each.end(),
            [](const WorkShare& a, const WorkShare& b) { return a.number < b.number; });
}

void limit_shares(Profile& profile) {
  std::vector<std::size_t> order(profile.regions.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto own_s = [&](std::size_t region) {
    const auto& wall = profile.regions[region].self.wall_s;
    return wall ? wall->value : 0;
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return own_s(a) > own_s(b); });
  std::size_t room = most_shares_of_all;
  for (const std::size_t index : order) {
    std::optional<WorkShares>& shares = profile.regions[index].shares;
    if (!shares) continue;
    if (shares->each.size() <= room) {
      room -= shares->each.size();
      continue;
    }
    room = 0;
    const std::size_t count = shares->each.size();
    shares->each.clear();
    leave_out(*shares, count,
              {0,
               "a profile keeps " + std::to_string(most_shares_of_all) +
                   ", those of the regions with the most time of their own",
               ""});
  }
}

void add_thread_shares(const CountedPass& counted, const std::vector<RawProcess>& native,
                       const std::string& main_executable, const std::set<std::size_t>& launching,
                       const std::vector<std::size_t>& rows, RegionTree& tree, Profile& profile) {
  const ThreadShares shares(counted, native, main_executable, launching, tree);
  const std::size_t first = profile.regions.size() - rows.size();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    Region& region = profile.regions[first + i];
    region.shares = shares.of(rows[i], region);
    if (region.shares) thin_out(*region.shares);
  }
  limit_shares(profile);
}

}  // namespace roofmark

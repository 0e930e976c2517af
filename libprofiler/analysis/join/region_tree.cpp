#include <algorithm>
#include <analysis/join/join_ranks.hpp>
#include <analysis/join/region_tree.hpp>

namespace roofmark {
namespace {

constexpr std::uint64_t fnv_offset = 14695981039346656037ULL;
constexpr std::uint64_t fnv_prime = 1099511628211ULL;

/// FNV-1a of the name and its length, so that {"ab"} and {"a", "b"} differ.
std::uint64_t extended_key(std::uint64_t key, const std::string& name) {
  for (const char c : name) key = (key ^ static_cast<unsigned char>(c)) * fnv_prime;
  return (key ^ (name.size() + 256)) * fnv_prime;
}

/// Of what could not be kept: a region of the program may have its name.
constexpr std::uint64_t key_of_other = 2;

std::uint64_t key_of_process(std::uint64_t key, std::int64_t pid) {
  return (key ^ static_cast<std::uint64_t>(pid)) * fnv_prime;
}

/// Converts the clock of one process.
struct Clock {
  double per_second;
  double first_ticks, first_raw_s;

  double raw_s(std::uint64_t ticks) const {
    return first_raw_s + (static_cast<double>(ticks) - first_ticks) / per_second;
  }
  double seconds(double ticks) const { return ticks / per_second; }
};

std::optional<Clock> clock_of(const RawProcess& process, std::optional<double> recorder_rate) {
  std::optional<double> rate = process.ticks_per_second();
  if (!rate && process.calibration.clock == "monotonic_raw") rate = 1e9;
  if (!rate) rate = recorder_rate;
  if (!rate || !(*rate > 0)) return std::nullopt;
  return Clock{*rate, static_cast<double>(process.calibration.first_ticks),
               static_cast<double>(process.calibration.first_raw_ns) * 1e-9};
}

double last_event_s(const RawProcess& process, const Clock& clock) {
  std::uint64_t latest = process.calibration.last_ticks;
  for (const RawThread& thread : process.threads)
    for (const RawNode& node : thread.nodes)
      latest = std::max({latest, node.last_exit, node.first_entry, node.open_since.value_or(0)});
  return clock.raw_s(latest);
}

/// When the recorder last found it alive; 0: never.
double last_look_s(const RawProcess& process, const JoinInput& input) {
  const auto there = [&](const PlacementSample::Thread& thread) {
    return thread.pid == process.pid;
  };
  for (std::size_t i = input.samples.size(); i-- > 0;)
    if (const auto& threads = input.samples[i].threads;
        std::any_of(threads.begin(), threads.end(), there))
      return input.whole.ended_raw_s - input.whole.wall_s + input.samples[i].time_s;
  return 0;
}

/// When the process stopped to exist as this program, which is how long an open region has lasted.
/// What else ended a child left no word of it: that was after it was last seen,
/// and before the program's end.
struct End {
  double low_s = 0, high_s = 0;
};
End end_of(const RawProcess& process, const JoinInput& input, const Clock& clock) {
  std::optional<double> next_image_s;
  for (const RawProcess& other : input.native) {
    if (other.pid != process.pid || other.sequence <= process.sequence) continue;
    const double start_s = static_cast<double>(other.calibration.first_raw_ns) * 1e-9;
    next_image_s = next_image_s ? std::min(*next_image_s, start_s) : start_s;
  }
  const double event_s = last_event_s(process, clock);
  if (next_image_s) return {std::min(event_s, *next_image_s), *next_image_s};
  if (process.pid == input.whole.pid) return {input.whole.ended_raw_s, input.whole.ended_raw_s};
  if (process.ended) return {event_s, event_s};
  const double seen_s = std::max(event_s, last_look_s(process, input));
  return {seen_s, std::max(seen_s, input.whole.ended_raw_s)};
}

struct NodeTime {
  double raw_s = 0;
  double time_s = 0;  ///< markers taken out
  double self_s = 0;
  double marker_s = 0;
};

/// The times of all nodes of one thread.
std::vector<NodeTime> times_of(const RawThread& thread, const RawProcess& process,
                               const Clock& clock, double end_s) {
  const std::size_t count = thread.nodes.size();
  std::vector<double> visits_below(count, 0);
  std::vector<double> shared_below(count, 0);  // ticks of reading others' counters
  std::vector<NodeTime> times(count);
  for (std::size_t i = count; i-- > 0;) {
    const RawNode& node = thread.nodes[i];
    const double visits = static_cast<double>(node.visits);
    const bool open = node.open_since.has_value();
    if (node.parent != RawNode::no_parent)
      visits_below[node.parent] += visits_below[i] + visits + (open ? 1 : 0);
    if (node.parent != RawNode::no_parent)
      shared_below[node.parent] +=
          shared_below[i] + (node.events ? static_cast<double>(node.events->shared_ticks) : 0);
    NodeTime& time = times[i];
    time.raw_s = clock.seconds(static_cast<double>(node.sum_ticks));
    if (open) time.raw_s += std::max(0.0, end_s - clock.raw_s(*node.open_since));
    const double cost_s =
        clock.seconds(static_cast<double>(process.marker_ticks) * visits_below[i] +
                      static_cast<double>(process.marker_inner_ticks) * visits + shared_below[i]);
    time.time_s = std::max(0.0, time.raw_s - cost_s);
    time.marker_s = time.raw_s - time.time_s;
    time.self_s += time.time_s;  // children have already taken theirs away
    if (node.parent != RawNode::no_parent) times[node.parent].self_s -= time.time_s;
  }
  for (NodeTime& time : times) time.self_s = std::max(0.0, time.self_s);
  return times;
}

void add_histogram(MergedRegion& region, const RawHistogram& histogram) {
  std::vector<std::uint64_t>& counts = region.histogram.counts;
  if (counts.size() < histogram.counts.size()) counts.resize(histogram.counts.size());
  for (std::size_t i = 0; i < histogram.counts.size(); ++i) counts[i] += histogram.counts[i];
}

void add_visits(MergedRegion& region, const RawNode& node, const Clock& clock, double entry_s) {
  if (node.visits == 0) return;
  const double min_s = clock.seconds(static_cast<double>(node.min_ticks));
  const double max_s = clock.seconds(static_cast<double>(node.max_ticks));
  const bool first = region.closed_visits == 0;
  region.min_s = first ? min_s : std::min(region.min_s, min_s);
  region.max_s = first ? max_s : std::max(region.max_s, max_s);
  if (first || entry_s < region.first_entry_s)
    region.first_s = clock.seconds(static_cast<double>(node.first_visit_ticks));
  region.closed_visits += node.visits;
  region.sum_s += clock.seconds(static_cast<double>(node.sum_ticks));
  region.sum_of_squares += node.sum_of_squares / clock.per_second / clock.per_second;
  region.ticks_per_second = clock.per_second;
  add_histogram(region, node.histogram);
}

/// In a forked child: a visit that its parent began. Its time since the fork is the child's own,
/// the visit is the parent's.
bool continues_visit_of_parent(const RawNode& node) {
  return node.inherited && node.visits == 0;
}

void add_flags(MergedRegion& region, const RawNode& node) {
  if (node.unclosed || (node.open_since && !continues_visit_of_parent(node)))
    region.flags.insert("unclosed");
  if (node.torn) region.flags.insert("torn");
  if (node.mismatched || node.wrong_thread) region.flags.insert("mismatched");
  if (node.other || node.other_inside) region.flags.insert("truncated");
  if (node.adopted_visits > 0) region.flags.insert("adopted");
}

/// The first entry is recorded when the first visit ends.
std::uint64_t first_entry_of(const RawNode& node) {
  if (node.first_entry != 0) return node.first_entry;
  if (node.open_since) return *node.open_since;
  return node.last_exit - std::min(node.last_exit, node.sum_ticks);
}

void add_node(MergedRegion& region, const RawNode& node, const NodeTime& time,
              const RawProcess& process, std::size_t ordinal, const Clock& clock, End end,
              bool innermost) {
  add_flags(region, node);
  const bool open = node.open_since.has_value();
  if (node.visits == 0 && !open && node.sum_ticks == 0) return;  // only passed through
  const double entry_s = clock.raw_s(first_entry_of(node));
  const double exit_s = open ? std::max(end.low_s, entry_s) : clock.raw_s(node.last_exit);
  const double unknown_s = open ? std::max(end.high_s, entry_s) - exit_s : 0;
  region.unknown_end_s += unknown_s;
  if (innermost) region.self_unknown_end_s += unknown_s;
  region.last_possible_exit_s = std::max(region.last_possible_exit_s, exit_s + unknown_s);
  const bool first = region.shares.empty();
  add_visits(region, node, clock, entry_s);
  region.first_entry_s = first ? entry_s : std::min(region.first_entry_s, entry_s);
  if (first || region.shares.back().process != ordinal)
    region.shares.push_back({ordinal, process.rank, 0, entry_s, exit_s, 0, 0, 0});
  ProcessShare& share = region.shares.back();
  share.first_entry_s = std::min(share.first_entry_s, entry_s);
  share.last_exit_s = std::max(share.last_exit_s, exit_s);
  const std::uint64_t open_visits = open && !continues_visit_of_parent(node) ? 1 : 0;
  region.visits += node.visits + open_visits;
  region.open_visits += open_visits;
  region.adopted_visits += node.adopted_visits;
  share.threads += std::max<std::uint64_t>(node.threads, 1);
  share.thread_s += time.time_s;
  region.thread_s += time.time_s;
  region.self_thread_s += time.self_s;
  region.marker_s += time.marker_s;
  region.marker_cost_s =
      std::max(region.marker_cost_s, clock.seconds(static_cast<double>(process.marker_ticks)));
  // Of several threads that were folded into one, only the longest raw time is known.
  const double part = node.threads > 1 && time.raw_s > 0
                          ? clock.seconds(static_cast<double>(node.max_thread_ticks)) / time.raw_s
                          : 1.0;
  share.longest_s = std::max(share.longest_s, time.time_s * std::min(part, 1.0));
  share.longest_self_s = std::max(share.longest_self_s, time.self_s * std::min(part, 1.0));
  region.declared_flop += node.declared_flop;
  region.declared_bytes += node.declared_bytes;
}

void add_thread(MergedRegion& region, const RawNode& node, const NodeTime& time,
                std::size_t process, std::size_t thread) {
  const bool open = node.open_since.has_value();
  if (node.visits == 0 && !open && node.sum_ticks == 0) return;
  std::vector<ThreadTime>& all = region.by_thread;
  if (all.empty() || all.back().process != process || all.back().thread != thread)
    all.push_back({process, thread, std::max<std::uint64_t>(node.threads, 1), 0, 0, 0});
  all.back().visits += node.visits + (open && !continues_visit_of_parent(node) ? 1 : 0);
  all.back().time_s += time.time_s;
  all.back().self_s += time.self_s;
}

/// The most threads that existed at once. Shares are in the order of their first entries.
std::uint64_t threads_at_once(const std::vector<ProcessShare>& shares) {
  std::vector<std::pair<double, std::uint64_t>> leaving;  // a heap: who leaves first, how many
  const auto later = [](const auto& a, const auto& b) { return a.first > b.first; };
  std::uint64_t now = 0, most = 0;
  for (const ProcessShare& share : shares) {
    while (!leaving.empty() && leaving.front().first <= share.first_entry_s) {
      now -= leaving.front().second;
      std::pop_heap(leaving.begin(), leaving.end(), later);
      leaving.pop_back();
    }
    now += share.threads;
    leaving.emplace_back(share.last_exit_s, share.threads);
    std::push_heap(leaving.begin(), leaving.end(), later);
    most = std::max(most, now);
  }
  return most;
}

struct Extent {
  double longest_s = 0, longest_self_s = 0, window_s = 0;
};

/// Processes that were in the region at the same time form a group; the groups follow one another.
/// The region was open at least for the longest thread of each group.
Extent extent_of(const std::vector<ProcessShare>& shares) {
  Extent extent;
  ProcessShare group;
  const auto end_group = [&] {
    extent.longest_s += group.longest_s;
    extent.longest_self_s += group.longest_self_s;
    extent.window_s += group.last_exit_s - group.first_entry_s;
  };
  for (std::size_t i = 0; i < shares.size(); ++i) {
    const ProcessShare& share = shares[i];
    if (i > 0 && share.first_entry_s < group.last_exit_s) {
      group.last_exit_s = std::max(group.last_exit_s, share.last_exit_s);
      group.longest_s = std::max(group.longest_s, share.longest_s);
      group.longest_self_s = std::max(group.longest_self_s, share.longest_self_s);
    } else {
      if (i > 0) end_group();
      group = share;
    }
  }
  if (!shares.empty()) end_group();
  return extent;
}

void settle(MergedRegion& region) {
  std::vector<ProcessShare>& shares = region.shares;
  std::sort(shares.begin(), shares.end(), [](const ProcessShare& a, const ProcessShare& b) {
    return a.first_entry_s < b.first_entry_s;
  });
  region.threads = threads_at_once(shares);
  const Extent extent = extent_of(shares);
  region.longest_s = extent.longest_s;
  region.longest_self_s = extent.longest_self_s;
  region.window_s = extent.window_s;
  std::map<unsigned, std::vector<ProcessShare>> by_rank;
  for (const ProcessShare& share : shares)
    if (share.rank) by_rank[*share.rank].push_back(share);
  std::vector<RankTime> times;
  for (const auto& [rank, its] : by_rank) {
    const Extent of_rank = extent_of(its);
    times.push_back({rank, of_rank.longest_s});
    region.by_rank[rank] = {of_rank.longest_s, of_rank.longest_self_s};
  }
  region.ranks = spread_of(std::move(times));
}

}  // namespace

std::uint64_t path_key(const std::vector<std::string>& path) {
  std::uint64_t key = fnv_offset;
  for (const std::string& name : path) key = extended_key(key, name);
  return key != 0 ? key : 1;
}

std::uint64_t path_key(const RawThread& thread, std::size_t node) {
  return thread.nodes[node].other ? key_of_other : path_key(thread.path(node));
}

std::string base_name(const std::string& path) {
  return path.substr(path.rfind('/') + 1);
}

std::string foreign_name(const std::string& name, const std::string& executable) {
  return name + " [" + base_name(executable) + "]";
}

RegionTree::RegionTree() : regions_(1), by_name_(1) {}

std::size_t RegionTree::child(std::size_t parent, const std::string& name) {
  const auto [found, is_new] = by_name_[parent].try_emplace(name, regions_.size());
  if (is_new) append(parent, name);
  return found->second;
}

std::size_t RegionTree::other(const std::string& name) {
  const auto [found, is_new] = others_.try_emplace(name, regions_.size());
  if (is_new) append(root, name);
  return found->second;
}

void RegionTree::append(std::size_t parent, const std::string& name) {
  const std::size_t index = regions_.size();
  MergedRegion region;
  region.parent = parent;
  region.name = name;
  regions_.push_back(std::move(region));
  by_name_.emplace_back();
  regions_[parent].children.push_back(index);
}

std::size_t RegionTree::region(const std::vector<std::string>& path) {
  std::size_t index = root;
  for (const std::string& name : path) index = child(index, name);
  return index;
}

bool RegionTree::is_found(const std::string& outermost) const {
  const auto child = by_name_[root].find(outermost);
  return child != by_name_[root].end() && regions_[child->second].found;
}

std::vector<std::string> RegionTree::path(std::size_t region) const {
  const std::size_t leaf = region;
  std::vector<std::string> names;
  for (; region != root; region = regions_[region].parent) names.push_back(regions_[region].name);
  std::reverse(names.begin(), names.end());
  if (names.size() != 1) return names;
  if (const auto ours = others_.find(names[0]); ours != others_.end() && ours->second == leaf)
    while (by_name_[root].count(names[0]) != 0) names[0] += " of roofmark";
  return names;
}

std::optional<std::size_t> RegionTree::find(std::int64_t pid, std::uint64_t key) const {
  const auto found = by_key_.find(key_of_process(key, pid));
  return found != by_key_.end() ? std::optional(found->second) : std::nullopt;
}

void RegionTree::add(const RawProcess& process, const JoinInput& input,
                     const std::string& main_executable) {
  const std::optional<Clock> clock = clock_of(process, input.ticks_per_second);
  const bool foreign = base_name(process.executable) != base_name(main_executable);
  const End end = clock ? end_of(process, input, *clock) : End();
  for (std::size_t ordinal = 0; ordinal < process.threads.size(); ++ordinal) {
    const RawThread& thread = process.threads[ordinal];
    const std::vector<NodeTime> times =
        clock ? times_of(thread, process, *clock, end.low_s) : std::vector<NodeTime>();
    std::size_t innermost = thread.nodes.size();  // of those that are open: one path is, at a time
    for (std::size_t i = 0; i < thread.nodes.size(); ++i)
      if (thread.nodes[i].open_since) innermost = i;
    std::vector<std::size_t> merged(thread.nodes.size());
    std::vector<std::uint64_t> keys(thread.nodes.size());
    for (std::size_t i = 0; i < thread.nodes.size(); ++i) {
      const RawNode& node = thread.nodes[i];
      const bool outermost = node.parent == RawNode::no_parent;
      keys[i] = node.other ? key_of_other
                           : extended_key(outermost ? fnv_offset : keys[node.parent], node.name);
      const std::string name =
          outermost && foreign ? foreign_name(node.name, process.executable) : node.name;
      merged[i] = node.other ? other(name) : child(outermost ? root : merged[node.parent], name);
      by_key_[key_of_process(keys[i] != 0 ? keys[i] : 1, process.pid)] = merged[i];
      MergedRegion& region = regions_[merged[i]];
      if (clock) {
        add_node(region, node, times[i], process, processes_, *clock, end, i == innermost);
        add_thread(region, node, times[i], processes_, ordinal);
      } else {
        add_flags(region, node);
        region.visits += node.visits;
      }
      if (!thread.main && !thread.folded && !thread.creator_tid && !thread.detached &&
          node.adopted_visits > 0)
        region.flags.insert("adopted");
    }
  }
  ++processes_;
}

void RegionTree::finish() {
  for (MergedRegion& region : regions_) settle(region);
  // Children come after their parents. What an MPI call has inside is its own.
  for (std::size_t i = regions_.size(); i-- > 0;) {
    MergedRegion& region = regions_[i];
    if (i != root && is_mpi_call(region.name)) {
      for (const ProcessShare& share : region.shares)
        region.mpi_s[share.rank.value_or(0)] += share.thread_s;
      continue;
    }
    for (const std::size_t child : region.children)
      for (const auto& [rank, time_s] : regions_[child].mpi_s) region.mpi_s[rank] += time_s;
  }
}

}  // namespace roofmark

#include <algorithm>
#include <analysis/trace/trace_regions.hpp>
#include <iterator>
#include <limits>
#include <map>
#include <set>
#include <utility>

namespace roofmark {
namespace {

using Path = std::vector<std::string>;

bool ends_with(const Path& path, const Path& end) {
  return path.size() >= end.size() && std::equal(end.rbegin(), end.rend(), path.rbegin());
}

/// The paths of all regions, numbered as they are met.
using Numbers = std::map<Path, std::uint32_t>;

std::uint32_t number_of(const Path& path, Numbers& numbers, RegionsOfVisits& into) {
  const auto [known, is_new] =
      numbers.try_emplace(path, static_cast<std::uint32_t>(into.paths.size()));
  if (is_new) into.paths.push_back(path);
  return known->second;
}

/// The visits of one thread as a tree. Its outermost visits stand below regions of other threads,
/// or below its own that were not kept.
class Nesting {
 public:
  Nesting(const std::vector<const Path*>& entered, bool complete, Numbers& numbers)
      : complete_(complete), numbers_of_paths_(&numbers) {
    for (const Path* path : entered)
      if (!path->empty() && entered_.insert(*path).second) ending_in_[path->back()].push_back(path);
    for (const Path& path : entered_)
      if (Path around(path.begin(), path.end() - 1); !entered_.contains(around))
        around_.insert(std::move(around));
  }

  std::uint32_t child(std::uint32_t parent, const std::string& name, RegionsOfVisits& into) {
    const auto [found, is_new] = numbers_.try_emplace({parent, name}, nodes_.size());
    if (is_new) {
      Node node{parent == none ? Path() : nodes_[parent].inside, 0};
      node.inside.push_back(name);
      node.region = region_of(node, into);
      nodes_.push_back(std::move(node));
    }
    return static_cast<std::uint32_t>(found->second);
  }
  std::uint32_t region(std::uint32_t node) const { return nodes_[node].region; }
  /// What a visit is inside of in its own thread, itself included.
  const Path& inside(std::uint32_t node) const { return nodes_[node].inside; }
  /// The paths that it may have, where they are several.
  const std::vector<Path>& fitting(std::uint32_t node) const { return nodes_[node].fitting; }

  static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

 private:
  struct Node {
    Path inside;  ///< from the thread's outermost visit that was kept
    std::uint32_t region = 0;
    std::vector<Path> fitting = {};
  };

  std::uint32_t region_of(Node& node, RegionsOfVisits& into) const {
    const Path& inside = node.inside;
    std::vector<Path> fitting;
    if (complete_) {
      // Every visit is there: around an outermost one are other threads' regions alone.
      for (Path path : around_) {
        path.insert(path.end(), inside.begin(), inside.end());
        if (entered_.contains(path)) fitting.push_back(std::move(path));
      }
    } else if (const auto same = ending_in_.find(inside.back()); same != ending_in_.end()) {
      for (const Path* path : same->second) {
        if (ends_with(*path, inside)) fitting.push_back(*path);
        if (fitting.size() > most_fitting) break;
      }
    }
    if (fitting.empty()) return RegionsOfVisits::unknown;
    if (fitting.size() == 1) return number_of(fitting.front(), *numbers_of_paths_, into);
    if (fitting.size() <= most_fitting) node.fitting = std::move(fitting);
    return RegionsOfVisits::several;
  }

  static constexpr std::size_t most_fitting = 64;

  std::set<Path> entered_;
  std::set<Path> around_;  ///< what the thread's outermost regions stand below
  std::map<std::string, std::vector<const Path*>> ending_in_;
  bool complete_;
  Numbers* numbers_of_paths_;
  std::vector<Node> nodes_;
  std::map<std::pair<std::uint32_t, std::string>, std::size_t> numbers_;
};

/// A visit of which its own thread does not tell which of several regions it is of.
struct Unsettled {
  std::uint32_t* region;
  const Nesting* nesting;
  std::uint32_t node;
  double outermost_start_s;
};

/// When each region was open, in whichever thread.
class OpenTimes {
 public:
  OpenTimes(const TracedProcess& process, const RegionsOfVisits& known) {
    for (std::size_t i = 0; i < process.visits.size(); ++i) {
      const auto& visit = process.visits[i];
      add(known.visits[i], process.names[visit.name], visit.start_s,
          visit.start_s + visit.duration_s);
    }
    for (std::size_t i = 0; i < process.open.size(); ++i)
      add(known.open[i], process.open[i].name, process.open[i].start_s,
          std::numeric_limits<double>::infinity());
    for (auto& [region, spans] : spans_) {
      std::sort(spans.begin(), spans.end());
      // What began earlier may end later.
      for (std::size_t i = 1; i < spans.size(); ++i)
        spans[i].second = std::max(spans[i].second, spans[i - 1].second);
    }
  }

  bool is_open(std::uint32_t region, double time_s) const {
    const auto found = spans_.find(region);
    if (found == spans_.end()) return false;
    const auto after = std::upper_bound(found->second.begin(), found->second.end(),
                                        std::pair(time_s, std::numeric_limits<double>::infinity()));
    return after != found->second.begin() && std::prev(after)->second >= time_s;
  }
  /// Some visit of this name is not known to be of one region.
  bool is_unsure(const std::string& name) const { return unsure_.contains(name); }

 private:
  void add(std::uint32_t region, const std::string& name, double from_s, double to_s) {
    if (region == RegionsOfVisits::unknown || region == RegionsOfVisits::several)
      unsure_.insert(name);
    else
      spans_[region].emplace_back(from_s, to_s);
  }

  std::map<std::uint32_t, std::vector<std::pair<double, double>>> spans_;
  std::set<std::string> unsure_;
};

/// A thread's outermost region is below the one that another thread had open when it was entered:
/// where that was open of one of the paths alone, it is this.
const Path* path_at_its_time(const Unsettled& visit, const OpenTimes& times,
                             const Numbers& numbers) {
  const Path* only = nullptr;
  const std::size_t inside = visit.nesting->inside(visit.node).size();
  for (const Path& path : visit.nesting->fitting(visit.node)) {
    const Path around(path.begin(), path.end() - static_cast<std::ptrdiff_t>(inside));
    if (!around.empty()) {
      if (times.is_unsure(around.back())) return nullptr;
      const auto region = numbers.find(around);
      if (region == numbers.end() || !times.is_open(region->second, visit.outermost_start_s))
        continue;
    }
    if (only != nullptr) return nullptr;
    only = &path;
  }
  return only;
}

void settle_by_time(const TracedProcess& process, std::vector<Unsettled> unsettled,
                    Numbers& numbers, RegionsOfVisits& result) {
  for (std::size_t before = 0; !unsettled.empty() && before != unsettled.size();) {
    before = unsettled.size();
    const OpenTimes times(process, result);
    std::erase_if(unsettled, [&](const Unsettled& visit) {
      const Path* path = path_at_its_time(visit, times, numbers);
      if (path != nullptr) *visit.region = number_of(*path, numbers, result);
      return path != nullptr;
    });
  }
}

}  // namespace

RegionsOfVisits regions_of_visits(const TracedProcess& process) {
  RegionsOfVisits result;
  result.visits.assign(process.visits.size(), RegionsOfVisits::unknown);
  result.open.assign(process.open.size(), RegionsOfVisits::unknown);
  // What threads that ended had entered is known of all of them together.
  std::map<std::int32_t, std::vector<const Path*>> entered;
  for (const auto& [tid, path] : process.entered) entered[tid].push_back(&path);
  struct Open {
    double start_s;
    std::uint32_t node;
  };
  struct Thread {
    Nesting nesting;
    std::vector<Open> around;
  };
  Numbers numbers;
  std::map<std::int32_t, Thread> threads;
  const auto thread_of = [&](std::int32_t tid) -> Thread& {
    const auto found = threads.find(tid);
    if (found != threads.end()) return found->second;
    const auto own = entered.find(tid);
    const auto& paths = own != entered.end() ? own->second : entered[TracedProcess::ended_threads];
    const bool complete = process.untraced == 0 && own != entered.end();
    return threads.emplace(tid, Thread{Nesting(paths, complete, numbers), {}}).first->second;
  };
  std::vector<Unsettled> unsettled;
  const auto enter = [&](Thread& thread, const std::string& name, double start_s,
                         std::uint32_t& place) {
    while (!thread.around.empty() && start_s < thread.around.back().start_s)
      thread.around.pop_back();
    const std::uint32_t parent = thread.around.empty() ? Nesting::none : thread.around.back().node;
    const std::uint32_t node = thread.nesting.child(parent, name, result);
    thread.around.push_back({start_s, node});
    const std::uint32_t region = thread.nesting.region(node);
    // With visits left out an outermost one may be inside of others of its thread.
    if (region == RegionsOfVisits::several && process.untraced == 0)
      unsettled.push_back({&place, &thread.nesting, node, thread.around.front().start_s});
    place = region;
  };
  // What was open at the end is around all that a thread did last; then backwards in time: a visit
  // that ended earlier and began later is inside.
  for (std::size_t i = 0; i < process.open.size(); ++i) {
    const auto& open = process.open[i];
    enter(thread_of(open.tid), open.name, open.start_s, result.open[i]);
  }
  for (std::size_t i = process.visits.size(); i-- > 0;) {
    const auto& visit = process.visits[i];
    enter(thread_of(visit.tid), process.names[visit.name], visit.start_s, result.visits[i]);
  }
  settle_by_time(process, std::move(unsettled), numbers, result);
  return result;
}

}  // namespace roofmark

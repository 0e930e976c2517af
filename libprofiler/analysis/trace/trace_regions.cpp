#include <algorithm>
#include <analysis/trace/trace_regions.hpp>
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
      node.region = region_of(node.inside, into);
      nodes_.push_back(std::move(node));
    }
    return static_cast<std::uint32_t>(found->second);
  }
  std::uint32_t region(std::uint32_t node) const { return nodes_[node].region; }

  static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

 private:
  struct Node {
    Path inside;  ///< from the thread's outermost visit that was kept
    std::uint32_t region = 0;
  };

  std::uint32_t region_of(const Path& inside, RegionsOfVisits& into) const {
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
        if (fitting.size() > 1) break;
      }
    }
    if (fitting.empty()) return RegionsOfVisits::unknown;
    if (fitting.size() > 1) return RegionsOfVisits::several;
    const auto [known, is_new] = numbers_of_paths_->try_emplace(
        fitting.front(), static_cast<std::uint32_t>(into.paths.size()));
    if (is_new) into.paths.push_back(fitting.front());
    return known->second;
  }

  std::set<Path> entered_;
  std::set<Path> around_;  ///< what the thread's outermost regions stand below
  std::map<std::string, std::vector<const Path*>> ending_in_;
  bool complete_;
  Numbers* numbers_of_paths_;
  std::vector<Node> nodes_;
  std::map<std::pair<std::uint32_t, std::string>, std::size_t> numbers_;
};

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
  const auto enter = [&](Thread& thread, const std::string& name, double start_s) {
    while (!thread.around.empty() && start_s < thread.around.back().start_s)
      thread.around.pop_back();
    const std::uint32_t parent = thread.around.empty() ? Nesting::none : thread.around.back().node;
    const std::uint32_t node = thread.nesting.child(parent, name, result);
    thread.around.push_back({start_s, node});
    return thread.nesting.region(node);
  };
  // What was open at the end is around all that a thread did last; then backwards in time: a visit
  // that ended earlier and began later is inside.
  for (std::size_t i = 0; i < process.open.size(); ++i) {
    const auto& open = process.open[i];
    result.open[i] = enter(thread_of(open.tid), open.name, open.start_s);
  }
  for (std::size_t i = process.visits.size(); i-- > 0;) {
    const auto& visit = process.visits[i];
    result.visits[i] = enter(thread_of(visit.tid), process.names[visit.name], visit.start_s);
  }
  return result;
}

}  // namespace roofmark

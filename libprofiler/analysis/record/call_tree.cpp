#include <algorithm>
#include <analysis/record/call_tree.hpp>
#include <cmath>
#include <map>
#include <tuple>

#include "libprofiler/arena/layout.h"

namespace roofmark {
namespace {

/// Further away is another stack.
constexpr std::uint64_t longest_stack = std::uint64_t{1} << 30;

std::size_t bucket_of(std::uint64_t duration_ns) {
  const auto duration = static_cast<double>(duration_ns);
  std::size_t bucket = 0;
  while (bucket + 1 < arena::histogram_buckets && duration >= RawHistogram::bounds(bucket).second)
    ++bucket;
  return bucket;
}

class Threads {
 public:
  explicit Threads(const CallFacts& facts) : facts_(facts) {}

  void create(const ThreadEvent& event) {
    // A process that was forked begins with what was open, and counts from nothing.
    const auto creator = threads_.find({event.creator_process, event.creator});
    if (creator == threads_.end()) return;
    State& made = state_of(event.process, event.thread);
    for (const Open& open : creator->second.open) made.base.push_back(open.function);
    made.raw.creator_tid = event.creator;
    made.raw.created_ticks = event.time_ns;
  }

  void take(const CallEvent& event) {
    State& state = state_of(event.process, event.thread);
    // A loop may lead back to the first instruction.
    if (!event.is_return && !state.open.empty() && state.open.back().function == event.function &&
        state.open.back().stack_pointer == event.stack_pointer)
      return;
    // Of a call that comes, those below it were left without a return; one at the very same place
    // did this call as its last act, or was left by a jump.
    const std::uint64_t above = event.stack_pointer + (event.is_return ? 0 : 1);
    while (!state.open.empty() && is_over(state.open.back(), above))
      close(state, event.time_ns, returns(state.open.back(), event));
    if (event.is_return) return;
    const std::size_t parent = state.open.empty() ? base_of(state) : state.open.back().node;
    const std::size_t node = child(state, parent, event.function);
    RawNode& raw = state.raw.nodes[node];
    if (raw.first_entry == 0) raw.first_entry = event.time_ns;
    state.open.push_back({node, event.function, event.time_ns, event.stack_pointer});
  }

  std::vector<RawProcess> finish(std::uint64_t first_ns, std::uint64_t last_ns) {
    std::map<std::int32_t, RawProcess> processes;
    for (auto& [id, state] : threads_) {
      for (const Open& open : state.open) state.raw.nodes[open.node].open_since = open.entered_ns;
      if (state.raw.nodes.empty()) continue;
      const auto [known, is_new] = processes.try_emplace(id.first);
      RawProcess& process = known->second;
      if (is_new) {
        process.host = facts_.host;
        process.executable = facts_.executable;
        process.pid = id.first;
        process.calibration = {"monotonic_raw", first_ns, first_ns, last_ns, last_ns};
        process.marker_ticks = static_cast<std::uint64_t>(std::llround(facts_.cost_s * 1e9));
        process.marker_inner_ticks =
            static_cast<std::uint64_t>(std::llround(facts_.inner_cost_s * 1e9));
        process.ended = true;
      }
      state.raw.tid = id.second;
      state.raw.main = id.first == id.second;
      state.raw.serial = process.threads.size() + 1;
      process.threads.push_back(std::move(state.raw));
    }
    std::vector<RawProcess> all;
    for (auto& [pid, process] : processes) all.push_back(std::move(process));
    return all;
  }

 private:
  struct Open {
    std::size_t node, function;
    std::uint64_t entered_ns, stack_pointer;
  };
  struct State {
    RawThread raw;
    std::vector<std::size_t> base;  ///< functions that were open where it was made
    std::map<std::pair<std::size_t, std::size_t>, std::size_t> children;
    std::vector<Open> open;
  };

  State& state_of(std::int32_t process, std::int32_t thread) { return threads_[{process, thread}]; }

  static bool is_over(const Open& open, std::uint64_t stack_pointer) {
    return open.stack_pointer < stack_pointer && stack_pointer - open.stack_pointer < longest_stack;
  }

  /// The return address was taken from where the call lies; or it lies where another one comes.
  static bool returns(const Open& open, const CallEvent& event) {
    return event.stack_pointer - open.stack_pointer <= (event.is_return ? 8u : 0u);
  }

  std::size_t child(State& state, std::size_t parent, std::size_t function) {
    const auto [known, is_new] =
        state.children.try_emplace({parent, function}, state.raw.nodes.size());
    if (is_new) {
      RawNode node;
      node.parent = parent;
      node.name = facts_.names[function];
      state.raw.nodes.push_back(std::move(node));
    }
    return known->second;
  }

  std::size_t base_of(State& state) {
    std::size_t node = RawNode::no_parent;
    for (const std::size_t function : state.base) node = child(state, node, function);
    return node;
  }

  static void close(State& state, std::uint64_t now_ns, bool seen) {
    const Open open = state.open.back();
    state.open.pop_back();
    RawNode& node = state.raw.nodes[open.node];
    const std::uint64_t duration = now_ns > open.entered_ns ? now_ns - open.entered_ns : 0;
    const auto real = static_cast<double>(duration);
    if (node.visits == 0) {
      node.first_visit_ticks = node.min_ticks = duration;
      node.histogram.counts.assign(arena::histogram_buckets, 0);
    }
    ++node.visits;
    node.sum_ticks += duration;
    node.sum_of_squares += real * real;
    node.min_ticks = std::min(node.min_ticks, duration);
    node.max_ticks = std::max(node.max_ticks, duration);
    node.last_exit = now_ns;
    node.mismatched = node.mismatched || !seen;
    ++node.histogram.counts[bucket_of(duration)];
  }

  const CallFacts& facts_;
  std::map<std::pair<std::int32_t, std::int32_t>, State> threads_;
};

}  // namespace

std::vector<RawProcess> tree_of_calls(std::vector<CallEvent> calls,
                                      std::vector<ThreadEvent> threads, const CallFacts& facts) {
  std::erase_if(calls, [&](const CallEvent& call) { return facts.left_out[call.function]; });
  if (calls.empty()) return {};
  const auto earlier = [](const auto& a, const auto& b) { return a.time_ns < b.time_ns; };
  // Buffers are one a processor: what a thread did lies in several.
  std::stable_sort(calls.begin(), calls.end(), earlier);
  std::stable_sort(threads.begin(), threads.end(), earlier);
  Threads tree(facts);
  auto made = threads.begin();
  for (const CallEvent& call : calls) {
    for (; made != threads.end() && made->time_ns <= call.time_ns; ++made) tree.create(*made);
    tree.take(call);
  }
  return tree.finish(calls.front().time_ns, calls.back().time_ns);
}

}  // namespace roofmark

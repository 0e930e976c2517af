#include "process_counters.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <analysis/files/process_threads.hpp>
#include <analysis/record/program_counters.hpp>
#include <cerrno>
#include <iterator>

namespace roofmark {
namespace {

/// A process that makes threads faster than they can be opened is counted as far as it goes.
constexpr unsigned most_attempts = 64;

/// Those of `some` that are not among `others`; both in ascending order.
std::size_t without(const std::vector<pid_t>& some, const std::vector<pid_t>& others) {
  std::vector<pid_t> left;
  std::set_difference(some.begin(), some.end(), others.begin(), others.end(),
                      std::back_inserter(left));
  return left.size();
}

std::string threads(std::size_t count) {
  return fmt::format("{} thread{}", count, count == 1 ? "" : "s");
}

/// A group over all threads. Where counters took turns, each has its own share of its own time;
/// the sums' shares are those of all the time, as the kernel has them for what inherits.
int sum_up(const std::vector<perf::Group>& groups, perf::Reading& sum) {
  for (const perf::Group& group : groups) {
    perf::Reading one;
    if (const int error = perf::read_group(group, false, one); error != 0) return error;
    sum.count = one.count;
    sum.enabled_ns += one.enabled_ns;
    sum.running_ns += one.running_ns;
    for (unsigned i = 0; i < one.count; ++i) sum.values[i] += one.values[i];
  }
  return 0;
}

}  // namespace

ProcessCounters::~ProcessCounters() {
  close_all();
}

void ProcessCounters::close_all() {
  for (OfGroup& group : groups_) {
    for (perf::Group& thread : group.threads) perf::close_group(thread);
    group.threads.clear();
    group.refusal.reset();
  }
}

void ProcessCounters::open_all(const perf::FlatPlan& flat, const std::vector<pid_t>& threads) {
  for (unsigned g = 0; g < flat.group_count; ++g) {
    OfGroup& group = groups_[g];
    for (const pid_t thread : threads) {
      perf::Group opened;
      const perf::Refusal refusal = perf::open_running_group(flat, g, thread, opened);
      if (!refusal) {
        group.threads.push_back(opened);
      } else if (refusal.error != ESRCH) {  // a thread that has ended does no more work
        group.refusal = {refusal.error, static_cast<unsigned>(group.index), refusal.event};
        break;
      }
    }
    if (!group.refusal) continue;
    // A sum over some threads is the process's only by chance.
    for (perf::Group& thread : group.threads) perf::close_group(thread);
    group.threads.clear();
  }
}

Result<ProcessCounters> ProcessCounters::open(const MeasuredPasses& passes, pid_t process,
                                              const ListThreads& list) {
  const ThreadGroups planned = thread_groups(passes.plan, 0);
  if (!planned.flat) return tl::unexpected(planned.flat.error());
  ProcessCounters made;
  made.process_ = process;
  made.list_ = list ? list : threads_of;
  for (const std::size_t index : planned.indices) made.groups_.push_back({index, {}, {}});
  // What a thread starts inherits its groups, from the moment when they are opened. So a thread
  // that appears meanwhile is counted already if its creator had them and is not if it had not,
  // which nobody says: groups are opened anew, until no thread appears.
  for (unsigned attempt = 0; attempt < most_attempts; ++attempt) {
    made.close_all();
    made.at_start_ = made.list_(process);
    made.open_all(*planned.flat, made.at_start_);
    made.unsure_ = without(made.list_(process), made.at_start_);
    if (made.unsure_ == 0) break;
  }
  const auto is_open = [](const OfGroup& group) { return !group.threads.empty(); };
  if (std::any_of(made.groups_.begin(), made.groups_.end(), is_open)) return made;
  for (const OfGroup& group : made.groups_)
    if (group.refusal && passes.explain) return tl::unexpected(passes.explain(*group.refusal, 0));
  return tl::unexpected(Problem{"the process has ended", "-p " + std::to_string(process), ""});
}

void ProcessCounters::start() {
  for (OfGroup& group : groups_)
    for (const perf::Group& thread : group.threads)
      // What never ran would be read as a 0 that was measured.
      if (const int error = perf::switch_group(thread, true); error != 0 && !group.refusal)
        group.refusal = RawRefusal{error, static_cast<unsigned>(group.index), 0};
}

void ProcessCounters::stop(bool ended) {
  for (const OfGroup& group : groups_)
    for (const perf::Group& thread : group.threads) perf::switch_group(thread, false);
  if (!ended) at_end_ = list_(process_);
}

RunningCounts ProcessCounters::read() const {
  RunningCounts counts;
  for (const OfGroup& group : groups_) {
    perf::Reading zero{}, sum{};
    const int error = group.refusal ? 0 : sum_up(group.threads, sum);
    if (group.refusal || error != 0) {
      counts.refused.push_back(
          group.refusal.value_or(RawRefusal{error, static_cast<unsigned>(group.index), 0}));
      continue;
    }
    zero.count = sum.count;
    counts.counts.push_back({group.index, perf::difference(zero, sum)});
  }
  const std::size_t ended = without(at_start_, at_end_), born = without(at_end_, at_start_);
  if (ended + born != 0)
    counts.note = fmt::format(
        "Counters were opened in {}, {} of which ended meanwhile; what they started is counted "
        "with them: {} of it at the end.",
        threads(at_start_.size()), ended, threads(born));
  if (unsure_ != 0)
    counts.lacks = fmt::format(
        "lower bound: {} appeared while counters were being opened, and may not be counted",
        threads(unsure_));
  return counts;
}

}  // namespace roofmark

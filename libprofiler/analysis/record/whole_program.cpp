#include <algorithm>
#include <analysis/record/whole_program.hpp>
#include <cmath>

namespace roofmark {
namespace {

class Sum {
 public:
  Sum(const MeasuredPasses& passes, unsigned pass) : passes_(passes), pass_(pass) {
    for (std::size_t g = 0; g < passes.plan.groups.size(); ++g) {
      if (passes.plan.groups[g].pass != pass) continue;
      groups_.push_back(g);
      values_.emplace_back(passes.plan.groups[g].events.size());
    }
  }

  std::optional<Problem> add(const RawProcess& process) {
    if (!process.counting)
      return Problem{
          "a process counted nothing" +
              (process.counting_refusal.empty() ? std::string() : ": " + process.counting_refusal),
          base_name(process.executable), "--counters perf or emulated"};
    for (const RawThread& thread : process.threads)
      for (const RawNode& node : thread.nodes) {
        const bool ours = node.parent == RawNode::no_parent && node.name == whole_region;
        if (!ours) continue;
        if (auto problem = why_not(process, thread, node)) return problem;
        add(*process.counting, node);
      }
    return std::nullopt;
  }

  std::vector<GroupCounts> counts() const {
    std::vector<GroupCounts> made;
    for (std::size_t i = 0; i < groups_.size(); ++i) {
      GroupCounts counts;
      counts.group = groups_[i];
      counts.counts.ran = perf::Ran::whole;
      counts.counts.count = static_cast<unsigned>(values_[i].size());
      for (std::size_t e = 0; e < values_[i].size(); ++e)
        counts.counts.values[e] =
            static_cast<std::uint64_t>(std::llround(std::max(values_[i][e], 0.0L)));
      made.push_back(counts);
    }
    return made;
  }

  bool fits() const {
    return std::all_of(values_.begin(), values_.end(), [](const auto& values) {
      return values.size() <= perf::most_events_per_group;
    });
  }

 private:
  std::optional<Problem> why_not(const RawProcess& process, const RawThread& thread,
                                 const RawNode& node) const {
    const std::string name = base_name(process.executable);
    if (node.open_since)
      return Problem{
          "a process of it ended without exit() (_exit, exec or a signal), and left no "
          "counts",
          name, "annotate it, or --counters perf"};
    if (!node.events || node.events->groups.size() < groups_.size())
      return Problem{"the recording had no room for its counts", name, "set TMPDIR"};
    if (node.events->blind_visits != 0)
      return Problem{
          "threads of it still ran at its end, whose counters PAPI can't read from "
          "another thread",
          name, "end the threads before the program, or --counters perf"};
    for (std::size_t i = 0; i < groups_.size(); ++i) {
      const RawEventGroup& group = node.events->groups[i];
      if (group.part + group.missed + group.unread == 0) continue;
      const RawRefusal& refusal =
          thread.refusal.error != 0 ? thread.refusal : process.first_refusal;
      if (refusal.error != 0 && passes_.explain) return passes_.explain(refusal, pass_);
      return Problem{"its counters could not be read", name, "roofmark check"};
    }
    return std::nullopt;
  }

  /// Without what the markers count themselves.
  void add(const RawCounting& counting, const RawNode& node) {
    for (std::size_t i = 0; i < groups_.size(); ++i)
      for (std::size_t e = 0; e < values_[i].size(); ++e)
        values_[i][e] += static_cast<long double>(node.events->groups[i].values[e]) -
                         static_cast<long double>(node.visits) *
                             static_cast<long double>(counting.inner[i][e + 2]);
  }

  const MeasuredPasses& passes_;
  unsigned pass_;
  std::vector<std::size_t> groups_;
  std::vector<std::vector<long double>> values_;
};

}  // namespace

WholeCounts whole_counts(const MeasuredPasses& passes, unsigned pass,
                         const std::vector<RawProcess>& processes) {
  WholeCounts whole;
  Sum sum(passes, pass);
  if (processes.empty())
    whole.problem = Problem{
        "no process of it could load the runtime (a static program, or one "
        "that gains rights)",
        "", "--counters perf"};
  if (!sum.fits())
    whole.problem = Problem{"a run has more events than can be summed", "", "--counters perf"};
  for (const RawProcess& process : processes)
    if (!whole.problem) whole.problem = sum.add(process);
  if (whole.problem) return whole;
  whole.counts = sum.counts();
  whole.processes = processes.size();
  return whole;
}

}  // namespace roofmark

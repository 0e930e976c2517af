// The counters of a program as a whole, with all that it starts: opened by the child before its
// exec and handed to the recorder, which reads them at the end. They need no marker and no runtime.
#pragma once

#include <analysis/counters/counter_plan.hpp>
#include <analysis/files/descriptor.hpp>
#include <vector>

namespace roofmark {

/// The groups of one pass that are of threads, as they are opened.
struct ThreadGroups {
  std::vector<std::size_t> indices;  ///< in the plan
  Result<perf::FlatPlan> flat;
};
ThreadGroups thread_groups(const CounterPlan& plan, unsigned pass);

class ProgramCounters {
 public:
  /// Of one pass of the plan; groups of packages are left out.
  ProgramCounters(const CounterPlan& plan, unsigned pass);

  /// In the child, the last step before exec. What can't be opened is left out.
  void open_in_child() const;
  /// In the recorder, once the program has been started, and again when it has ended.
  void receive();
  std::vector<GroupCounts> read() const;

 private:
  struct One {
    std::size_t index;  ///< in the plan
    std::vector<Descriptor> descriptors;
  };
  std::vector<std::size_t> indices_;
  perf::FlatPlan flat_;
  Descriptor child_end_, own_end_;
  std::vector<One> groups_;
};

}  // namespace roofmark

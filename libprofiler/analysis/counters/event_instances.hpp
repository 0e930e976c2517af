// An event of a table as the kernel of this machine takes it: once for threads, or once per PMU and
// package.
#pragma once

#include <collectors/perf/flat_plan.hpp>
#include <filesystem>
#include <roofmark/result.hpp>
#include <string>
#include <vector>

#include "table_match.hpp"

namespace roofmark {

struct EventInstance {
  std::string pmu;
  int cpu = -1;      ///< -1: of threads
  int package = -1;  ///< the socket that a cpu's counters are of
  perf::Event numbers;
};

/// Where and how events are asked for.
struct EventPlaces {
  std::filesystem::path devices, cpus;  ///< as PlanOptions has them
  bool with_kernel = false;
  bool ask_user_reads = false;
};

/// All that have to be opened for the event to be counted; never an empty list.
Result<std::vector<EventInstance>> event_instances(const CounterEvent& event,
                                                   const TableMatch& match,
                                                   const EventPlaces& places);

}  // namespace roofmark

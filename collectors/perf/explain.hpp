// Why the kernel refused to count, in one sentence, with the one command that changes it.
#pragma once

#include <analysis/counters/host_facts.hpp>
#include <roofmark/result.hpp>
#include <string>

namespace roofmark::perf {

/// What was asked for when it was refused.
struct Request {
  std::string event;         ///< the name that the user knows it by
  std::string pmu;           ///< name in sysfs; empty: the core's
  bool of_cpu = false;       ///< a whole CPU's or socket's, not a thread's
  bool with_kernel = false;  ///< what the kernel does was to be counted too
  bool breakpoint = false;
  bool leads = true;  ///< false: the leader of its group had opened already
};

/// `error` is the errno of perf_event_open. Depends on nothing but its arguments.
Problem explain(int error, const Request& request, const HostFacts& facts);

}  // namespace roofmark::perf

// Events that this kernel counts exactly without any hardware counter: breakpoints and software.
#pragma once

#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <initializer_list>
#include <string>

#include "catch.hpp"
#include "collectors/perf/group.hpp"

namespace perf_test {

using namespace roofmark::perf;

/// Watched memory and a watched function. Not inlined and not merged with another.
inline volatile long watched[4];
__attribute__((noinline)) inline void watched_function() {
  __asm__ volatile("" ::: "memory");
}

inline Event writes_to(const volatile long& place) {
  return {PERF_TYPE_BREAKPOINT,
          exclude_kernel | exclude_hypervisor,
          HW_BREAKPOINT_W,
          0,
          reinterpret_cast<std::uintptr_t>(&place),
          HW_BREAKPOINT_LEN_8};
}
inline Event executions_of(void (*function)()) {
  return {PERF_TYPE_BREAKPOINT,
          exclude_kernel | exclude_hypervisor,
          HW_BREAKPOINT_X,
          0,
          reinterpret_cast<std::uintptr_t>(function),
          sizeof(long)};
}
inline Event software(std::uint64_t config) {
  return {PERF_TYPE_SOFTWARE, exclude_kernel | exclude_hypervisor, 0, config, 0, 0};
}

/// One group of a thread.
inline FlatPlan plan_of(std::initializer_list<Event> events) {
  FlatPlan plan;
  for (const Event& event : events) plan.events[plan.event_count++] = event;
  plan.groups[0] = {-1, 0, static_cast<std::uint16_t>(plan.event_count)};
  plan.group_count = 1;
  return plan;
}

/// An opened group that is closed at the end of its scope.
struct Opened {
  Group group;
  Refusal refusal;
  explicit Opened(const FlatPlan& plan, pid_t thread = 0)
      : refusal(open_group(plan, 0, thread, group)) {}
  ~Opened() { close_group(group); }
  Opened(const Opened&) = delete;
  Opened& operator=(const Opened&) = delete;
  Reading read(bool own = true) const {
    Reading reading;
    const int error = read_group(group, own, reading);
    if (error != 0) throw std::runtime_error(std::string("read: ") + std::strerror(error));
    return reading;
  }
};

inline unsigned open_descriptors() {
  unsigned count = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator("/proc/self/fd"))
    ++count;
  return count;
}

/// False, with the reason printed, where this system lets nobody count (CI in a sandbox).
inline bool counts_here(const FlatPlan& plan) {
  const Opened trial(plan);
  if (trial.refusal)
    WARN("not tested here: perf_event_open gives " << std::strerror(trial.refusal.error));
  return !trial.refusal;
}

}  // namespace perf_test

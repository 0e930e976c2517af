// What is to be counted, as numbers for perf_event_open: planned by the analysis, counted in the
// target. The text form (README.md) goes from one to the other, in a file or an environment
// variable. The C library alone: this is compiled into the target's runtime too.
#pragma once

#include <cstddef>
#include <cstdint>

namespace roofmark::perf {

/// A group larger than this fits no core's counters.
inline constexpr unsigned most_events_per_group = 16;
inline constexpr unsigned most_groups = 64;
inline constexpr unsigned most_events = 256;

/// Bits of Event::exclude.
inline constexpr std::uint32_t exclude_kernel = 1, exclude_hypervisor = 2, exclude_user = 4;

/// The fields of perf_event_attr that make an event.
struct Event {
  std::uint32_t type = 0;        ///< PERF_TYPE_..., or the number that sysfs gives a PMU
  std::uint32_t exclude = 0;     ///< see above
  std::uint32_t breakpoint = 0;  ///< HW_BREAKPOINT_...; its address and length are config1, config2
  std::uint64_t config = 0, config1 = 0, config2 = 0;
};

/// Events of one PMU that are counted together.
struct GroupPlan {
  std::int32_t cpu = -1;  ///< -1: of a thread, wherever it runs; else all that this CPU's PMU sees
  std::uint16_t first = 0, count = 0;  ///< in FlatPlan::events
};

/// No pointers and no ownership: it may lie in static memory.
struct FlatPlan {
  unsigned group_count = 0, event_count = 0;
  GroupPlan groups[most_groups];
  Event events[most_events];
};

/// Reads the text form strictly. Null: `plan` is whole. Otherwise one sentence that says what is
/// wrong, `line` says where (from 1), and `plan` holds nothing.
const char* parse_plan(const char* text, std::size_t length, FlatPlan& plan, unsigned& line);

/// The longest text that a plan can have.
inline constexpr std::size_t most_plan_text = 32768;
/// Writes the text form and a NUL into `text`; returns its length without the NUL, or 0 where it
/// has no room or the plan is no plan.
std::size_t write_plan(const FlatPlan& plan, char* text, std::size_t room);

}  // namespace roofmark::perf

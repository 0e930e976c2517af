// What is to be counted by PAPI, by the names of its events: planned by the analysis, counted in
// the target. The C library alone: this is compiled into the counting half too.
#pragma once

#include <cstddef>
#include <cstdint>

namespace roofmark::papi {

inline constexpr unsigned most_events = 64, most_groups = 64;
inline constexpr unsigned most_name = 256, most_component = 64;  // with the NUL

/// Whose work the events of a group count.
enum class Extent : std::uint8_t { thread, process, socket, device };
const char* spelling(Extent extent);

/// Events of one component that are counted or not counted together.
struct Group {
  Extent extent = Extent::thread;
  char component[most_component];
  std::uint16_t first = 0, count = 0;  ///< in Plan::events
};

/// No pointers and no ownership: it may lie in static memory.
struct Plan {
  unsigned group_count = 0, event_count = 0;
  Group groups[most_groups];
  char events[most_events][most_name];
};

/// Whether the word can stand in a plan: printable ASCII without blanks, not empty, not too long.
bool is_plan_word(const char* word, std::size_t length, unsigned room);

/// Reads the text form strictly. Null: `plan` is whole. Otherwise one sentence that says what is
/// wrong, and `plan` holds nothing.
const char* parse_plan(const char* text, std::size_t length, Plan& plan);

/// The longest text that a plan can have.
inline constexpr std::size_t most_plan_text = 32768;
/// Writes the text form and a NUL into `text`; returns its length without the NUL, or 0 where it
/// has no room or the plan is no plan.
std::size_t write_plan(const Plan& plan, char* text, std::size_t room);

}  // namespace roofmark::papi

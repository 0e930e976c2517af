// What can be asked of this machine's counters, by quantity: what `roofmark events` prints.
#pragma once

#include <optional>
#include <roofmark/result.hpp>
#include <string>
#include <vector>

#include "event_tables.hpp"
#include "table_match.hpp"

namespace roofmark {

/// The tables for some processors, and the PMUs of the kernel that would count them.
struct CountableEvents {
  std::vector<CpuIdentity> cpus;
  PmuNames pmus;
  std::vector<TableMatch> matches;
};

/// Why no event of the cores can be counted, where none can: no table, or no PMU. A socket's memory
/// controllers may count all the same.
std::optional<Problem> why_nothing(const CountableEvents& events);
/// Whether the kernel has the PMUs of any quantity.
bool counts_anything(const CountableEvents& events);

struct EventsTextOptions {
  std::size_t width = 80;
  bool utf8 = true;
};
std::string render_events_text(const CountableEvents& events, const EventsTextOptions& options);
/// `roofmark-events-list/1`.
std::string render_events_json(const CountableEvents& events);

}  // namespace roofmark

// The tables as they lie in the source tree.
#pragma once

#include "analysis/counters/event_tables.hpp"
#include "catch.hpp"

inline const std::vector<roofmark::EventTable>& all_tables() {
  static const roofmark::EventTables tables = roofmark::load_event_tables({ROOFMARK_EVENT_TABLES});
  for (const roofmark::Problem& problem : tables.problems) FAIL(to_line(problem));
  return tables.tables;
}

// What likwid-perfctr counted, as a profile: the program as a whole, or its marked regions.
#pragma once

#include <roofmark/profile.hpp>
#include <roofmark/result.hpp>
#include <string>

#include "known_events.hpp"
#include "likwid_table.hpp"

namespace roofmark::import {

/// `alone`: as of perf. Events come first, by the tables of the processor; what they don't give
/// comes from the metrics of data/likwid.json.
Result<Profile> profile_of(const LikwidTables& tables, const std::string& name,
                           const KnownEvents& known, Machine machine, bool alone);

}  // namespace roofmark::import

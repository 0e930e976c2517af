// What `perf stat` counted, as a profile of one region: the program as a whole.
#pragma once

#include <roofmark/profile.hpp>
#include <roofmark/result.hpp>
#include <string>
#include <vector>

#include "known_events.hpp"
#include "perf_stat.hpp"

namespace roofmark::import {

/// `alone`: nothing else ran on the sockets, so that what they moved was the program's. The machine
/// is what the profile is placed against.
Profile profile_of(const std::vector<PerfRow>& rows, const std::string& name,
                   const KnownEvents& known, Machine machine, bool alone);

}  // namespace roofmark::import

// The steps of a visit that are taken with a program's registers still in use, or not at all.
#pragma once

#include "region.hpp"

namespace roofmark::runtime {

/// node == nullptr: nothing was done.
template <class Clock>
roofmark_token try_enter(roofmark_site* site);

/// False: nothing was done.
template <class Clock>
inline int try_leave(roofmark_token token) {
  return leave_region_or<Clock, false>(token, [](roofmark_token, uint64_t) { return 1; }) == 0;
}

}  // namespace roofmark::runtime

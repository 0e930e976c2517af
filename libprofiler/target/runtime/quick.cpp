// Entering as a function's call may do it, all of whose arguments are still in registers: compiled
// without vector registers. Leaving is beside it (api.cpp): it sums in double.
#include "quick.hpp"
#include "middle.hpp"

namespace roofmark::runtime {
namespace {

roofmark_token not_done(roofmark_site*) {
  return {nullptr, 0};
}

}  // namespace

template <class Clock>
roofmark_token try_enter(roofmark_site* site) {
  return enter_region_or<Clock>(
      site,
      [](roofmark_site * at) __attribute__((noinline)) { return enter_known_or(at, not_done); });
}

template roofmark_token try_enter<CounterClock>(roofmark_site*);
template roofmark_token try_enter<SystemClock>(roofmark_site*);

}  // namespace roofmark::runtime

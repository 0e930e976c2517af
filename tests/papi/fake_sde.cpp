// A library that defines events of its own by PAPI's software-defined events, as numerical
// libraries do: their values are known to the last one.
#include <sde_lib.h>

namespace {
long long flop = 0;
long long lines(void*) {
  return flop / 2;
}
}  // namespace

extern "C" __attribute__((visibility("default"))) void fake_sde_start() {
  papi_handle_t handle = papi_sde_init("FAKEPMU");
  papi_sde_register_counter(handle, "DP_FLOPS", PAPI_SDE_RO | PAPI_SDE_DELTA, PAPI_SDE_long_long,
                            &flop);
  papi_sde_register_counter_cb(handle, "DRAM_LINES", PAPI_SDE_RO | PAPI_SDE_DELTA,
                               PAPI_SDE_long_long, lines, nullptr);
}
extern "C" __attribute__((visibility("default"))) void fake_sde_work(long long amount) {
  __atomic_fetch_add(&flop, amount, __ATOMIC_RELAXED);
}

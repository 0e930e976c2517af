/* What FFTW's plans do and move. Plans are opaque: their sizes are remembered from the call that
 * made them. Executing reads without a lock, from any thread; plans that are too many for the table
 * have no declared work. */
#include "pack.h"

enum { buckets = 4096, reach = 32 };

static struct {
  const void* plan; /* null: never used; `gone`: may be used again */
  struct pack_work work;
} kept[buckets];
static const char gone[1];

PACK_CODE static unsigned first_bucket(const void* plan) {
  return (unsigned)(((uintptr_t)plan >> 4) * 0x9e3779b97f4a7c15u >> 32) % buckets;
}

void pack_forget_plan(const void* plan) {
  const unsigned first = first_bucket(plan);
  for (unsigned i = 0; i < reach; ++i) {
    const void** const there = &kept[(first + i) % buckets].plan;
    const void* expected = plan;
    __atomic_compare_exchange_n(there, &expected, gone, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
  }
}

void pack_keep_plan(const void* plan, double flop, double bytes) {
  pack_forget_plan(plan);
  const unsigned first = first_bucket(plan);
  for (unsigned i = 0; i < reach; ++i) {
    const unsigned at = (first + i) % buckets;
    const void* there = __atomic_load_n(&kept[at].plan, __ATOMIC_RELAXED);
    if (there != 0 && there != gone) continue;
    /* Only planning writes here, and FFTW's planner is for one thread at a time. */
    __atomic_store(&kept[at].work.flop, &flop, __ATOMIC_RELAXED);
    __atomic_store(&kept[at].work.bytes, &bytes, __ATOMIC_RELAXED);
    __atomic_store_n(&kept[at].plan, plan, __ATOMIC_RELEASE);
    return;
  }
}

struct pack_work pack_plan_work(const void* plan) {
  struct pack_work work = {0, 0};
  const unsigned first = first_bucket(plan);
  for (unsigned i = 0; i < reach; ++i) {
    const unsigned at = (first + i) % buckets;
    if (__atomic_load_n(&kept[at].plan, __ATOMIC_ACQUIRE) != plan) continue;
    __atomic_load(&kept[at].work.flop, &work.flop, __ATOMIC_RELAXED);
    __atomic_load(&kept[at].work.bytes, &work.bytes, __ATOMIC_RELAXED);
    break;
  }
  return work;
}

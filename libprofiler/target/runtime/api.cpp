// The one object that the annotation headers look for.
#include "counting.hpp"
#include "quick.hpp"
#include "runtime.hpp"
#include "runtime_table.h"
#include "trace.hpp"

#if defined(ROOFMARK_COUNTED_IN_ARCHIVE)
// In a static program, which no other runtime can be loaded into: on the emulator, the markers go
// to it and this runtime is not used.
extern "C" __attribute__((visibility("hidden"))) int roofmark_count_instead(roofmark_api* table);
#endif

// Constant for everyone but connect(): what it sets, it sets before anybody may call more than
// that.
extern "C" __attribute__((visibility("default"))) roofmark_runtime_table roofmark_api_v1;

namespace roofmark::runtime {
namespace {

#if defined(ROOFMARK_COUNTED_IN_ARCHIVE)
enum Counting { not_asked, recorded, counted };
Counting counting = not_asked;

// Asked once: whoever has an answer may be calling what stands in the table.
bool counted_instead() {
  if (load_acquire(counting) == not_asked) {
    Locked lock;
    if (counting == not_asked)
      store_release(counting,
                    roofmark_count_instead(&roofmark_api_v1.markers) != 0 ? counted : recorded);
  }
  return load_acquire(counting) == counted;
}
#endif

int api_connect() {
#if defined(ROOFMARK_COUNTED_IN_ARCHIVE)
  if (counted_instead()) return 1;
#endif
  return connect();
}
template <class Clock>
roofmark_token api_enter(roofmark_site* site) {
  return enter_region<Clock>(site);
}
template <class Clock, bool traced>
void api_leave(roofmark_token token) {
  leave_region<Clock, traced>(token);
}
roofmark_token api_enter_name(const char* name, size_t length) {
  return enter_named(name, length);
}
template <class Clock, bool traced>
void api_leave_site(roofmark_site* site) {
  Node* node = load(here.line->current);  // null in a child process
  if (likely(node != nullptr && node->name == load(site->id)))
    leave_region<Clock, traced>({node, node->record->entry});
  else
    leave_at_site_slow(site, Clock::ticks());
}
template <class Clock, bool traced>
void api_leave_declared(roofmark_token token, double flop, double bytes) {
  leave_region_declared<Clock, traced>(token, flop, bytes);
}
template <class Clock>
void api_leave_declared_counted(roofmark_token token, double flop, double bytes) {
  declare_work(token, flop, bytes);
  leave_counted<Clock>(token);
}
template <class Clock>
roofmark_token api_enter_name_counted(const char* name, size_t length) {
  return after_entry<Clock>(enter_named(name, length));
}
template <class Clock>
void api_leave_site_counted(roofmark_site* site) {
  Node* node = load(here.line->current);
  if (likely(node != nullptr && node->name == load(site->id)))
    leave_counted<Clock>({node, node->record->entry});
  else
    leave_at_site_slow(site, Clock::ticks());
}
void api_declare(roofmark_token token, double flop, double bytes) {
  declare_work(token, flop, bytes);
}
void api_detach_thread() {
  detach_this_thread();
}
void api_abandon(roofmark_token token) {
  abandon_visit(token, ticks());
}

}  // namespace
}  // namespace roofmark::runtime

using namespace roofmark::runtime;

roofmark_runtime_table roofmark_api_v1 = {
    {1, sizeof(roofmark_runtime_table), api_connect, api_enter<CounterClock>,
     api_leave<CounterClock, false>, api_enter_name, api_leave_site<CounterClock, false>,
     api_declare, api_detach_thread},
    open_path,
    api_leave_declared<CounterClock, false>,
    try_enter<CounterClock>,
    try_leave<CounterClock>,
    api_abandon,
};

namespace {

template <class Clock, bool traced>
void use(bool counted) {
  roofmark_api& markers = roofmark_api_v1.markers;
  markers.enter = counted ? enter_counted<Clock> : api_enter<Clock>;
  markers.leave = counted ? leave_counted<Clock> : api_leave<Clock, traced>;
  markers.leave_site = counted ? api_leave_site_counted<Clock> : api_leave_site<Clock, traced>;
  roofmark_api_v1.leave_declared =
      counted ? api_leave_declared_counted<Clock> : api_leave_declared<Clock, traced>;
  if (counted) markers.enter_name = api_enter_name_counted<Clock>;
  roofmark_api_v1.try_enter = counted ? nullptr : try_enter<Clock>;
  // A trace may ask for memory.
  roofmark_api_v1.try_leave = counted || traced ? nullptr : try_leave<Clock>;
}

}  // namespace

void roofmark::runtime::use_paths(arena::Clock clock, bool counted) {
  if (clock == arena::Clock::monotonic_raw)
    tracing.on ? use<SystemClock, true>(counted) : use<SystemClock, false>(counted);
  else
    tracing.on ? use<CounterClock, true>(counted) : use<CounterClock, false>(counted);
}

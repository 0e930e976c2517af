// The counting half of PAPI: roofmark/collector.h. A library of its own, the only one that needs
// libpapi: the runtime loads it where events of PAPI are to be counted.
//
// One event set per thread and component, started when the thread starts and never stopped or set
// back: PAPI_read at both edges, and the runtime subtracts.
#include <papi.h>
#include <pthread.h>
#include <roofmark/collector.h>
#include <unistd.h>

#include <cstring>

#include "plan_text.hpp"
#include "refusals.hpp"

namespace roofmark::papi {
namespace {

constexpr unsigned most_sets = 16;  // components, those of threads and of the process apart

/// Events of one component: of one PAPI event set in each thread, or in the process.
struct SetPlan {
  const char* component;
  bool of_thread;
  bool is_sde;
};

// Of this process; constant once begin() has returned.
Plan plan;
SetPlan sets[most_sets];
unsigned set_count = 0;
std::uint8_t set_of_group[most_groups];
int process = 0;  // whose PAPI state this is
// The thread that opened the sets of the process: PAPI keeps them with what it knows of that
// thread.
pthread_t keeper;
bool has_keeper = false;

struct State {
  int set[most_sets];                  // PAPI_NULL: not open
  std::uint8_t position[most_events];  // in its set
  std::uint64_t open;                  // a bit for each group
};

unsigned long thread_number() {
  return static_cast<unsigned long>(pthread_self());
}

const char* assign_sets() {
  for (unsigned g = 0; g < plan.group_count; ++g) {
    const bool of_thread = plan.groups[g].extent == Extent::thread;
    unsigned set = 0;
    while (set < set_count && (sets[set].of_thread != of_thread ||
                               std::strcmp(sets[set].component, plan.groups[g].component) != 0))
      ++set;
    if (set == most_sets) return "the plan has events of too many components";
    if (set == set_count)
      sets[set_count++] = {plan.groups[g].component, of_thread,
                           std::strcmp(plan.groups[g].component, "sde") == 0};
    set_of_group[g] = static_cast<std::uint8_t>(set);
  }
  return nullptr;
}

const char* begin(const char* text, std::size_t length, roofmark_counting_shape* shape) {
  if (const char* const wrong = parse_plan(text, length, plan)) return wrong;
  set_count = 0;
  if (const char* const wrong = assign_sets()) return wrong;
  if (PAPI_library_init(PAPI_VER_CURRENT) != PAPI_VER_CURRENT)
    return "PAPI could not be initialised in the program";
  if (PAPI_thread_init(thread_number) != PAPI_OK)
    return "PAPI could not be made safe for threads in the program";
  process = getpid();
  *shape = {};
  shape->groups = plan.group_count;
  shape->state_bytes = sizeof(State);
  for (unsigned g = 0; g < plan.group_count; ++g) {
    shape->group[g] = {shape->words, plan.groups[g].count,
                       plan.groups[g].extent != Extent::thread ? 1U : 0U, 1U};
    shape->words += 2U + plan.groups[g].count;
  }
  return nullptr;
}

/// 0, or why the difference of two readings of the event would mean nothing.
int unfit(const char* name, const char* component) {
  int code = 0;
  if (const int error = PAPI_event_name_to_code(const_cast<char*>(name), &code); error != PAPI_OK)
    return error;
  const PAPI_component_info_t* const info = PAPI_get_component_info(PAPI_get_event_component(code));
  if (info != nullptr && std::strcmp(info->name, component) != 0) return wrong_component;
  static PAPI_event_info_t event;  // large; under the runtime's lock
  if (PAPI_get_event_info(code, &event) != PAPI_OK) return 0;
  if (std::strcmp(event.derived, "DERIVED_POSTFIX") == 0 &&
      std::strchr(event.postfix, '/') != nullptr)
    return not_additive;
  if (event.data_type == PAPI_DATATYPE_FP64) return not_whole;
  return event.value_type == PAPI_VALUETYPE_ABSOLUTE ? not_a_sum : 0;
}

struct Adding {
  State& state;
  roofmark_counting_refusal* first;

  void refuse(int error, unsigned group, unsigned event) const {
    if (first->error == 0) *first = {error, group, event};
  }

  /// All events of the group, or none.
  bool add_group(unsigned index, unsigned set, unsigned& added) const {
    const Group& group = plan.groups[index];
    for (unsigned i = 0; i < group.count; ++i) {
      const char* const name = plan.events[group.first + i];
      int error = unfit(name, group.component);
      if (error == 0) error = PAPI_add_named_event(state.set[set], name);
      if (error == PAPI_OK) {
        state.position[group.first + i] = static_cast<std::uint8_t>(added + i);
        continue;
      }
      refuse(error, index, i);
      for (unsigned done = i; done > 0; --done)
        PAPI_remove_named_event(state.set[set], plan.events[group.first + done - 1]);
      return false;
    }
    added += group.count;
    return true;
  }

  void drop(unsigned set) const {
    PAPI_cleanup_eventset(state.set[set]);
    PAPI_destroy_eventset(&state.set[set]);
    state.set[set] = PAPI_NULL;
  }

  void open_set(unsigned set) const {
    std::uint64_t groups = 0;
    unsigned added = 0, any = 0;
    int error = PAPI_create_eventset(&state.set[set]);
    const bool made = error == PAPI_OK;
    for (unsigned g = 0; g < plan.group_count; ++g) {
      if (set_of_group[g] != set) continue;
      any = g;
      if (made && add_group(g, set, added)) groups |= std::uint64_t{1} << g;
    }
    if (made && groups == 0) return drop(set);
    if (made) error = PAPI_start(state.set[set]);
    if (error == PAPI_OK) {
      state.open |= groups;
      return;
    }
    refuse(error, any, 0);
    if (made) drop(set);
  }
};

std::uint64_t open(void* memory, int thread, roofmark_counting_refusal* first) {
  State& state = *static_cast<State*>(memory);
  *first = {};
  state.open = 0;
  for (int& set : state.set) set = PAPI_NULL;
  const bool packages = thread == roofmark_packages;
  if (!packages && thread != roofmark_this_thread) return 0;
  if (const int error = PAPI_register_thread(); error != PAPI_OK) {
    *first = {error, 0, 0};
    return 0;
  }
  if (packages) {
    keeper = pthread_self();
    has_keeper = true;
  }
  for (unsigned set = 0; set < set_count; ++set)
    if (sets[set].of_thread != packages) Adding{state, first}.open_set(set);
  return state.open;
}

std::uint64_t read(void* memory, int own, std::uint64_t* words) {
  const State& state = *static_cast<const State*>(memory);
  long long values[most_events];
  std::uint64_t counted = 0;
  for (unsigned set = 0; set < set_count; ++set) {
    if (state.set[set] == PAPI_NULL) continue;
    if (own == 0 && sets[set].of_thread) continue;
    if (PAPI_read(state.set[set], values) != PAPI_OK) continue;
    std::uint64_t* to = words;
    for (unsigned g = 0; g < plan.group_count; to += 2 + plan.groups[g].count, ++g) {
      if (set_of_group[g] != set || (state.open >> g & 1) == 0) continue;
      bool there = true;
      to[0] = to[1] = 0;
      for (unsigned i = 0; i < plan.groups[g].count; ++i) {
        const long long value = values[state.position[plan.groups[g].first + i]];
        // So PAPI gives an event of a library that has not registered it (yet).
        there = there && !(sets[set].is_sde && value == -1);
        to[2 + i] = static_cast<std::uint64_t>(value);
      }
      if (there) counted |= std::uint64_t{1} << g;
    }
  }
  return counted;
}

void close(void* memory, int in_child) {
  State& state = *static_cast<State*>(memory);
  if (in_child != 0) {
    // To stop would stop the parent's counters, whose descriptors these are. What PAPI knows of
    // this thread is the parent's too: the thread begins anew, once.
    if (process != getpid()) {
      process = getpid();
      has_keeper = false;
      PAPI_unregister_thread();
    }
    for (int& set : state.set) set = PAPI_NULL;
    state.open = 0;
    return;
  }
  bool any_of_thread = false;
  long long values[most_events];
  for (unsigned set = 0; set < set_count; ++set) {
    if (state.set[set] == PAPI_NULL) continue;
    any_of_thread = any_of_thread || sets[set].of_thread;
    PAPI_stop(state.set[set], values);
    PAPI_cleanup_eventset(state.set[set]);
    PAPI_destroy_eventset(&state.set[set]);
    state.set[set] = PAPI_NULL;
  }
  state.open = 0;
  const bool keeps = has_keeper && pthread_equal(keeper, pthread_self()) != 0;
  if (any_of_thread && !keeps) PAPI_unregister_thread();
}

}  // namespace
}  // namespace roofmark::papi

extern "C" __attribute__((visibility("default")))
const roofmark_counting_half roofmark_counting_half_v1 = {
    ROOFMARK_COUNTING_HALF_ABI, sizeof(roofmark_counting_half), roofmark::papi::begin,
    roofmark::papi::open,       roofmark::papi::read,           roofmark::papi::close};

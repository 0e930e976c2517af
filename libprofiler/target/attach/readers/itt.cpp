// ITT: a program's calls go through pointers that its own copy of the API keeps. At the first use
// it loads what INTEL_LIBITTNOTIFY64 names and lets __itt_api_init() of that library fill them.
// Declared after the interface that collectors are documented to implement (version 3).
#include <pthread.h>
#include <stdlib.h>

#include "reader.hpp"
#include "text.hpp"

namespace roofmark::readers {
namespace {

struct Domain {
  volatile int flags;  ///< 0: switched off
  const char* name;
  const wchar_t* wide_name;
};
struct StringHandle {
  const char* text;
  const wchar_t* wide_text;
};
struct Id {
  unsigned long long d1, d2, d3;
};

struct Function {
  const char* name;
  void** pointer;
  void* initial;  ///< asks for a collector first
  void* without;  ///< what is done where there is no collector
  int group;
};
struct Global {
  unsigned char magic[8];
  unsigned long version_major, version_minor, version_build;
  volatile long initialized, mutex_initialized, counter;
  pthread_mutex_t mutex;
  void* library;
  void* error_handler;
  const char** path;
  Function* functions;
};
/// Before this date functions had no `without`.
constexpr unsigned long first_known_build = 20101002;

// What keys have in common lies in no address: their lowest bit.
Key task_of(const Domain* domain) {
  return {Tool::itt, reinterpret_cast<uint64_t>(domain)};
}
Key frame_of(const Domain* domain) {
  return {Tool::itt, reinterpret_cast<uint64_t>(domain) | 1};
}
Key overlapped_of(const Id& id) {
  return {Tool::itt, (id.d1 * 0x9e3779b97f4a7c15 ^ id.d2 * 0xc2b2ae3d27d4eb4f ^ id.d3) | 2};
}
Key event_of(int event) {
  return {Tool::itt, static_cast<uint64_t>(event) << 2 | 3};
}

bool is_on(const Domain* domain) {
  return domain != nullptr && domain->flags != 0;
}

void push_name(Key key, const char* text, const wchar_t* wide) {
  if (text != nullptr || wide == nullptr) {
    push(key, text);
    return;
  }
  Text name;
  name.add(wide);
  push(key, name.bytes, name.length);
}

/// A task without a name has its domain's. TBB's have neither.
void push_task(Key key, const Domain* domain, const StringHandle* name) {
  if (name != nullptr)
    push_name(key, name->text, name->wide_text);
  else if (domain->name != nullptr || domain->wide_name != nullptr)
    push_name(key, domain->name, domain->wide_name);
  else
    push(key, "task");
}
void task_begin(const Domain* domain, Id, Id, StringHandle* name) {
  if (is_on(domain)) push_task(task_of(domain), domain, name);
}
void task_begin_fn(const Domain* domain, Id, Id, void* function) {
  if (!is_on(domain)) return;
  Text name;
  name.add("0x");
  name.add_hexadecimal(reinterpret_cast<uint64_t>(function));
  push(task_of(domain), name.bytes, name.length);
}
void task_end(const Domain* domain) {
  if (is_on(domain)) pop(task_of(domain));
}
void task_begin_ex(const Domain* domain, void*, unsigned long long, Id id, Id parent,
                   StringHandle* name) {
  task_begin(domain, id, parent, name);
}
void task_end_ex(const Domain* domain, void*, unsigned long long) {
  task_end(domain);
}
void task_begin_overlapped(const Domain* domain, Id id, Id, StringHandle* name) {
  if (is_on(domain)) push_task(overlapped_of(id), domain, name);
}
void task_end_overlapped(const Domain* domain, Id id) {
  if (is_on(domain)) end(overlapped_of(id));
}

void frame_begin(const Domain* domain, Id*) {
  if (is_on(domain)) push_name(frame_of(domain), domain->name, domain->wide_name);
}
void frame_end(const Domain* domain, Id*) {
  if (is_on(domain)) pop(frame_of(domain));
}

/// Events of the older interface: numbers of ours for names of any length.
constexpr int most_events = 1024;
struct Event {
  char name[128];
};
Event events[most_events];
int events_made;

int event_create(const char* name, int length) {
  const int event = __atomic_add_fetch(&events_made, 1, __ATOMIC_RELAXED);
  if (event >= most_events || name == nullptr) return event;
  for (int i = 0; i < length && i + 1 < static_cast<int>(sizeof(Event)); ++i)
    events[event].name[i] = name[i];
  return event;
}
int event_start(int event) {
  if (event > 0 && event < most_events) push(event_of(event), events[event].name);
  return 0;
}
int event_end(int event) {
  if (event > 0 && event < most_events) pop(event_of(event));
  return 0;
}

template <class Called>
void* as_pointer(Called* called) {
  return reinterpret_cast<void*>(called);
}

struct Entry {
  const char* name;
  void* function;
};

bool equal(const char* a, const char* b) {
  while (*a != '\0' && *a == *b) ++a, ++b;
  return *a == *b;
}

}  // namespace
}  // namespace roofmark::readers

// Fills the pointers of one copy of the API.
ROOFMARK_READER_EXPORT void __itt_api_init(void* copy, int) {
  using namespace roofmark::readers;
  auto* const global = static_cast<Global*>(copy);
  if (global == nullptr || global->functions == nullptr ||
      global->version_build < first_known_build)
    return;
  const Entry entries[] = {
      {"__itt_task_begin", as_pointer(task_begin)},
      {"__itt_task_begin_fn", as_pointer(task_begin_fn)},
      {"__itt_task_end", as_pointer(task_end)},
      {"__itt_task_begin_ex", as_pointer(task_begin_ex)},
      {"__itt_task_end_ex", as_pointer(task_end_ex)},
      {"__itt_task_begin_overlapped", as_pointer(task_begin_overlapped)},
      {"__itt_task_end_overlapped", as_pointer(task_end_overlapped)},
      {"__itt_frame_begin_v3", as_pointer(frame_begin)},
      {"__itt_frame_end_v3", as_pointer(frame_end)},
      {"__itt_event_create", as_pointer(event_create)},
      {"__itt_event_start", as_pointer(event_start)},
      {"__itt_event_end", as_pointer(event_end)},
  };
  const bool recorded = reads(Tool::itt) && runtime() != nullptr;
  for (Function* function = global->functions; function->name != nullptr; ++function) {
    void* chosen = function->without;
    for (const Entry& entry : entries)
      if (recorded && equal(entry.name, function->name)) chosen = entry.function;
    *function->pointer = chosen;
  }
}

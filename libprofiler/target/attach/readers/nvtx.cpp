// NVTX: a program's ranges call through tables of function pointers that its own copy of NVTX
// keeps, one for each shared object. At their first use they load what NVTX_INJECTION64_PATH names
// and hand their tables over. Declared after NVTX's documented interface (version 3).
#include <stdlib.h>

#include "reader.hpp"
#include "text.hpp"

namespace roofmark::readers {
namespace {

/// A domain or a registered string: a name that lives as long as the process.
struct Named {
  size_t length;
  char bytes[1];
};

enum : int32_t { message_none = 0, message_ascii = 1, message_unicode = 2, message_registered = 3 };

struct EventAttributes {
  uint16_t version, size;
  uint32_t category;
  int32_t color_type;
  uint32_t color;
  int32_t payload_type;
  int32_t reserved;
  uint64_t payload;
  int32_t message_type;
  union {
    const char* ascii;
    const wchar_t* unicode;
    const Named* registered;
  } message;
};
static_assert(sizeof(EventAttributes) == 48, "as NVTX lays it out");

Key pushed_in(const Named* domain) {
  return {Tool::nvtx, reinterpret_cast<uint64_t>(domain)};
}

// Ranges by number: odd, so that none is the address of a domain.
Key range_of(uint64_t id) {
  return {Tool::nvtx, id};
}
uint64_t last_id = 1;

const Named* keep(const Text& text) {
  auto* const named = static_cast<Named*>(malloc(sizeof(Named) + text.length));
  if (named == nullptr) return nullptr;
  named->length = text.length;
  for (size_t i = 0; i < text.length; ++i) named->bytes[i] = text.bytes[i];
  return named;
}

template <class Character>
const Named* keep_name(const Character* name) {
  Text text;
  text.add(name);
  return keep(text);
}

void add(Text& text, const Named* named) {
  for (size_t i = 0; named != nullptr && i < named->length; ++i) text.add(named->bytes[i]);
}

Text name_of(const Named* domain, const EventAttributes* event) {
  Text text;
  if (domain != nullptr) {
    add(text, domain);
    text.add(':');
  }
  if (event == nullptr) return text;
  switch (event->message_type) {
    case message_ascii:
      text.add(event->message.ascii);
      break;
    case message_unicode:
      text.add(event->message.unicode);
      break;
    case message_registered:
      add(text, event->message.registered);
      break;
    default:
      break;
  }
  return text;
}

int push_text(const Named* domain, const Text& text) {
  return push(pushed_in(domain), text.bytes, text.length);
}
int domain_push(const Named* domain, const EventAttributes* event) {
  return push_text(domain, name_of(domain, event));
}
int domain_pop(const Named* domain) {
  return pop(pushed_in(domain));
}
uint64_t start_text(const Text& text) {
  const uint64_t id = __atomic_add_fetch(&last_id, 2, __ATOMIC_RELAXED);
  begin(range_of(id), text.bytes, text.length);
  return id;
}
uint64_t domain_start(const Named* domain, const EventAttributes* event) {
  return start_text(name_of(domain, event));
}
void domain_end(const Named*, uint64_t id) {
  end(range_of(id));
}

int push_event(const EventAttributes* event) {
  return domain_push(nullptr, event);
}
template <class Character>
int push_message(const Character* message) {
  Text text;
  text.add(message);
  return push_text(nullptr, text);
}
int pop_message() {
  return domain_pop(nullptr);
}
uint64_t start_event(const EventAttributes* event) {
  return domain_start(nullptr, event);
}
template <class Character>
uint64_t start_message(const Character* message) {
  Text text;
  text.add(message);
  return start_text(text);
}
void end_range(uint64_t id) {
  domain_end(nullptr, id);
}

template <class Character>
const Named* create_domain(const Character* name) {
  return keep_name(name);
}
// Others may still push and pop in it.
void destroy_domain(const Named*) {}
template <class Character>
const Named* register_string(const Named*, const Character* name) {
  return keep_name(name);
}

using Function = void (*)();
template <class Called>
Function as_function(Called* called) {
  return reinterpret_cast<Function>(called);
}

struct Entry {
  unsigned id;  ///< of the callback, in its module
  Function function;
};

struct Callbacks {
  size_t size;
  int (*table_of_module)(int module, Function*** table, unsigned* entries);
};
using GetExportTable = const void* (*)(uint32_t id);
constexpr uint32_t callbacks_table = 1;
constexpr int core = 1, core2 = 5;

void attach(const Callbacks& callbacks, int module, const Entry* entries, size_t count) {
  Function** table = nullptr;
  unsigned size = 0;
  if (callbacks.table_of_module(module, &table, &size) == 0 || table == nullptr) return;
  for (size_t i = 0; i < count; ++i)
    if (entries[i].id < size && table[entries[i].id] != nullptr)
      *table[entries[i].id] = entries[i].function;
}

}  // namespace
}  // namespace roofmark::readers

// Called by each shared object that uses NVTX. 0: nothing is attached, and NVTX does nothing.
ROOFMARK_READER_EXPORT int InitializeInjectionNvtx2(const void* (*get_export_table)(uint32_t)) {
  using namespace roofmark::readers;
  if (!reads(Tool::nvtx) || runtime() == nullptr || get_export_table == nullptr) return 0;
  const auto* const callbacks = static_cast<const Callbacks*>(get_export_table(callbacks_table));
  if (callbacks == nullptr || callbacks->size < sizeof(Callbacks)) return 0;
  const Entry plain[] = {
      {4, as_function(start_event)},
      {5, as_function(start_message<char>)},
      {6, as_function(start_message<wchar_t>)},
      {7, as_function(end_range)},
      {8, as_function(push_event)},
      {9, as_function(push_message<char>)},
      {10, as_function(push_message<wchar_t>)},
      {11, as_function(pop_message)},
  };
  const Entry with_domain[] = {
      {2, as_function(domain_start)},
      {3, as_function(domain_end)},
      {4, as_function(domain_push)},
      {5, as_function(domain_pop)},
      {10, as_function(register_string<char>)},
      {11, as_function(register_string<wchar_t>)},
      {12, as_function(create_domain<char>)},
      {13, as_function(create_domain<wchar_t>)},
      {14, as_function(destroy_domain)},
  };
  attach(*callbacks, core, plain, sizeof plain / sizeof *plain);
  attach(*callbacks, core2, with_domain, sizeof with_domain / sizeof *with_domain);
  return 1;
}

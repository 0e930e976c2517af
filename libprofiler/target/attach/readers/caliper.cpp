// Caliper: the functions behind its C macros, and the two C++ classes that mark functions and
// scopes. A region is what nests by Caliper's own word; values (iterations, settings) are none.
#include "original.hpp"
#include "reader.hpp"
#include "text.hpp"

#include <initializer_list>

namespace roofmark::readers {
namespace {

constexpr const char* library = "libcaliper";

/// Caliper may call its own functions by their exported names.
__thread bool inside __attribute__((tls_model("initial-exec")));

class Inside {
 public:
  Inside() : before_(inside) { inside = true; }
  ~Inside() { inside = before_; }
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;
  bool is_outermost() const { return !before_; }

 private:
  bool before_;
};

template <class... Arguments>
int call(int (*original)(Arguments...), Arguments... arguments) {
  return original != nullptr ? original(arguments...) : 0;
}

/// The tool's own work stays out of the region, at both of its ends.
template <class Open, class... Arguments>
int opening(Open open, int (*original)(Arguments...), Arguments... arguments) {
  const Inside here;
  const int result = call(original, arguments...);
  if (here.is_outermost() && reads(Tool::caliper)) open();
  return result;
}
template <class Close, class... Arguments>
int closing(Close close, int (*original)(Arguments...), Arguments... arguments) {
  const Inside here;
  if (here.is_outermost() && reads(Tool::caliper)) close();
  return call(original, arguments...);
}

uint64_t hash_of(const char* text) {
  uint64_t hash = 0xcbf29ce484222325;
  for (; text != nullptr && *text != '\0'; ++text)
    hash = (hash ^ static_cast<unsigned char>(*text)) * 0x100000001b3;
  return hash;
}
Key by_attribute(const char* name) {
  return {Tool::caliper, hash_of(name)};
}
Key by_attribute(uint64_t id) {
  return {Tool::caliper, ~id};
}
Key by_object(const void* object) {
  return {Tool::caliper, reinterpret_cast<uint64_t>(object)};
}

bool equal(const char* a, const char* b) {
  while (*a != '\0' && *a == *b) ++a, ++b;
  return *a == *b;
}

/// Attributes whose values are regions by themselves.
bool is_structure(const char* attribute) {
  for (const char* name :
       {"function", "annotation", "region", "loop", "phase", "comm.region", "statement"})
    if (equal(attribute, name)) return true;
  return false;
}

void push_value(const char* attribute, const char* value) {
  Text text;
  if (attribute != nullptr && !is_structure(attribute)) {
    text.add(attribute);
    text.add('=');
  }
  text.add(value);
  push(by_attribute(attribute), text.bytes, text.length);
}

/// Asked once for each of the recent ones: bit 0 says whether its regions nest.
bool nests(uint64_t id) {
  constexpr int nested_property = 256;
  static uint64_t known[64];
  static Original<int(uint64_t)> properties{"cali_attribute_properties", library};
  uint64_t& kept = known[id % 64];
  const uint64_t before = __atomic_load_n(&kept, __ATOMIC_RELAXED);
  if (before >> 1 == id + 1) return (before & 1) != 0;
  auto* const original = properties.get(nullptr);
  const bool nested = original != nullptr && (original(id) & nested_property) != 0;
  __atomic_store_n(&kept, (id + 1) << 1 | (nested ? 1 : 0), __ATOMIC_RELAXED);
  return nested;
}

}  // namespace
}  // namespace roofmark::readers

using namespace roofmark::readers;

#define ORIGINAL(function)                                      \
  static Original<decltype(function)> kept{#function, library}; \
  auto* const original = kept.get(function)

#define NAMED_REGION(kind)                                         \
  ROOFMARK_READER_EXPORT int cali_begin_##kind(const char* name) { \
    ORIGINAL(cali_begin_##kind);                                   \
    return opening([name] { enter(name); }, original, name);       \
  }                                                                \
  ROOFMARK_READER_EXPORT int cali_end_##kind(const char* name) {   \
    ORIGINAL(cali_end_##kind);                                     \
    return closing([name] { leave_named(name); }, original, name); \
  }
NAMED_REGION(region)
NAMED_REGION(phase)
NAMED_REGION(comm_region)

ROOFMARK_READER_EXPORT int cali_begin_string(uint64_t attribute, const char* value) {
  ORIGINAL(cali_begin_string);
  return opening(
      [&] {
        if (nests(attribute)) push(by_attribute(attribute), value);
      },
      original, attribute, value);
}
ROOFMARK_READER_EXPORT int cali_end(uint64_t attribute) {
  ORIGINAL(cali_end);
  return closing([&] { pop(by_attribute(attribute)); }, original, attribute);
}
ROOFMARK_READER_EXPORT int cali_safe_end_string(uint64_t attribute, const char* value) {
  ORIGINAL(cali_safe_end_string);
  return closing([&] { pop(by_attribute(attribute)); }, original, attribute, value);
}

ROOFMARK_READER_EXPORT int cali_begin_byname(const char* attribute) {
  ORIGINAL(cali_begin_byname);
  return opening([&] { push(by_attribute(attribute), attribute); }, original, attribute);
}
ROOFMARK_READER_EXPORT int cali_begin_string_byname(const char* attribute, const char* value) {
  ORIGINAL(cali_begin_string_byname);
  return opening([&] { push_value(attribute, value); }, original, attribute, value);
}
ROOFMARK_READER_EXPORT int cali_end_byname(const char* attribute) {
  ORIGINAL(cali_end_byname);
  return closing([&] { pop(by_attribute(attribute)); }, original, attribute);
}

// cali::Function and cali::ScopeAnnotation, by the names that the C++ ABI gives their members.
// Complete-object and base-object forms are one function each in the library; a program calls the
// complete one.
#define SCOPE_CLASS(class_name)                                                             \
  ROOFMARK_READER_EXPORT int _ZN4cali##class_name##C1EPKc(void* object, const char* name) { \
    ORIGINAL(_ZN4cali##class_name##C1EPKc);                                                 \
    return opening([&] { push(by_object(object), name); }, original, object, name);         \
  }                                                                                         \
  ROOFMARK_READER_EXPORT int _ZN4cali##class_name##D1Ev(void* object) {                     \
    ORIGINAL(_ZN4cali##class_name##D1Ev);                                                   \
    return closing([&] { pop(by_object(object)); }, original, object);                      \
  }
SCOPE_CLASS(8Function)
SCOPE_CLASS(15ScopeAnnotation)

#include "reader.hpp"

#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>

namespace roofmark::readers {
namespace {

constexpr const char* names[] = {"nvtx",    "itt",    "likwid", "papi",
                                 "caliper", "kokkos", "cyg",    "openmp"};
constexpr unsigned all = (1u << (sizeof names / sizeof *names)) - 1;

constexpr unsigned not_asked = ~0u;
unsigned wanted = not_asked;

bool is_word(const char* text, size_t length, const char* word) {
  for (size_t i = 0; i < length; ++i)
    if (word[i] == '\0' || text[i] != word[i]) return false;
  return word[length] == '\0';
}

unsigned tools_in(const char* list) {
  if (list == nullptr) return all;
  unsigned tools = 0;
  while (*list != '\0') {
    size_t length = 0;
    while (list[length] != '\0' && list[length] != ',') ++length;
    for (unsigned i = 0; i < sizeof names / sizeof *names; ++i)
      if (is_word(list, length, names[i])) tools |= 1u << i;
    list += length + (list[length] == ',');
  }
  return tools;
}

struct Open {
  Key key;
  roofmark_token token;
};

/// Of one thread: a page, and a longer mapping where that is too small.
struct Stack {
  uint32_t size;
  uint32_t capacity;
  uint32_t unkept;  ///< began where there was no memory to keep them: their ends come first
  Open open[1];
};

__thread Stack* stack __attribute__((tls_model("initial-exec")));

size_t bytes_for(uint32_t capacity) {
  return sizeof(Stack) + (size_t{capacity} - 1) * sizeof(Open);
}

pthread_key_t at_thread_end;
bool has_key;

void free_stack(void* freed) {
  auto* old = static_cast<Stack*>(freed);
  stack = nullptr;
  munmap(old, bytes_for(old->capacity));
}

// Before the program's own threads, and outside of its regions.
__attribute__((constructor)) void prepare() {
  reads(Tool::nvtx);
  has_key = pthread_key_create(&at_thread_end, free_stack) == 0;
}

Stack* with_room() {
  Stack* now = stack;
  if (now != nullptr && now->size < now->capacity) return now;
  const uint32_t before = now == nullptr ? 0 : now->capacity;
  const uint32_t capacity = before == 0 ? (4096 - sizeof(Stack)) / sizeof(Open) + 1 : 4 * before;
  void* const mapped = mmap(nullptr, bytes_for(capacity), PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) return nullptr;
  auto* const grown = static_cast<Stack*>(mapped);
  if (now != nullptr) {
    grown->size = now->size;
    grown->unkept = now->unkept;
    for (uint32_t i = 0; i < now->size; ++i) grown->open[i] = now->open[i];
    munmap(now, bytes_for(before));
  }
  grown->capacity = capacity;
  stack = grown;
  if (has_key) pthread_setspecific(at_thread_end, grown);
  return grown;
}

bool equal(const Key& a, const Key& b) {
  return a.tool == b.tool && a.of == b.of;
}

/// Takes the innermost entry of that key out; the number of others of the key, or -1.
int take(Key key, roofmark_token& token) {
  Stack* const now = stack;
  if (now == nullptr) return -1;
  if (now->unkept > 0) {
    --now->unkept;
    return -1;
  }
  uint32_t at = now->size;
  while (at > 0 && !equal(now->open[at - 1].key, key)) --at;
  if (at == 0) return -1;
  token = now->open[at - 1].token;
  for (uint32_t i = at; i < now->size; ++i) now->open[i - 1] = now->open[i];
  --now->size;
  int others = 0;
  for (uint32_t i = 0; i + 1 < at; ++i) others += equal(now->open[i].key, key);
  return others;
}

int depth_of(Key key) {
  const Stack* const now = stack;
  int depth = 0;
  for (uint32_t i = 0; now != nullptr && i < now->size; ++i) depth += equal(now->open[i].key, key);
  return depth;
}

}  // namespace

bool reads(Tool tool) {
  // Other libraries' constructors may come before ours.
  if (wanted == not_asked) wanted = tools_in(secure_getenv("ROOFMARK_ANNOTATIONS"));
  return (wanted >> static_cast<unsigned>(tool) & 1) != 0;
}

const roofmark_api* runtime() {
  return roofmark_runtime_();
}

size_t length_of(const char* text) {
  size_t length = 0;
  if (text != nullptr)
    while (text[length] != '\0') ++length;
  return length;
}

roofmark_token enter(const char* name) {
  return enter(name, length_of(name));
}

roofmark_token enter(const char* name, size_t length) {
  const roofmark_api* api = runtime();
  if (api == nullptr) return {nullptr, 0};
  return api->enter_name(name != nullptr ? name : "", length);
}

void leave(roofmark_token token) {
  const roofmark_api* api = runtime();
  if (api != nullptr && token.node != nullptr) api->leave(token);
}

void leave_named(const char* name) {
  const roofmark_api* api = runtime();
  if (api == nullptr) return;
  roofmark_site site = {
      name != nullptr ? name : "", static_cast<uint32_t>(length_of(name)), 0, {nullptr, nullptr}};
  api->leave_site(&site);
}

int push(Key key, const char* name) {
  return push(key, name, length_of(name));
}

int push(Key key, const char* name, size_t length) {
  const int depth = depth_of(key);
  begin(key, name, length);
  return depth;
}

int pop(Key key) {
  roofmark_token token = {nullptr, 0};
  const int depth = take(key, token);
  leave(token);
  return depth;
}

void begin(Key key, const char* name, size_t length) {
  if (runtime() == nullptr) return;
  Stack* const now = with_room();
  if (now == nullptr) {
    if (stack != nullptr) ++stack->unkept;
    return;
  }
  now->open[now->size++] = {key, enter(name, length)};
}

void end(Key key) {
  roofmark_token token = {nullptr, 0};
  take(key, token);
  leave(token);
}

}  // namespace roofmark::readers

// Roofmark annotation for C++11 and later: one file, may be copied into any project, nothing to
// link.
//
//   #include <roofmark/roofmark.hpp>
//   void solve() {
//     ROOFMARK_SCOPE("solve");           // from here to the end of the block; a literal name
//     ROOFMARK_FUNCTION();               // the same, named as the function is
//     ROOFMARK_SCOPE_AS(s, "spmv");      // a literal scope that has a name in the source
//     roofmark::Scope t{name};           // a name known at run time: hashed, dearer
//     s.declare(roofmark::Flop{2.0 * nnz}, roofmark::Bytes{12.0 * nnz});  // optional: own count
//   }
//
// Without a Roofmark runtime in the process a scope is one load and two branches.
// ROOFMARK_DISABLE removes scopes altogether. The runtime is looked up at the first scope; "there
// is none" is final for this library or program until it calls roofmark::attach().
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <stddef.h>
#include <stdint.h>

// ---- What header and runtime share; the same text as in roofmark.h, where it is explained.
#ifndef ROOFMARK_API_V1_TYPES
#define ROOFMARK_API_V1_TYPES
extern "C" {
typedef struct roofmark_site {
  const char* name;
  uint32_t length;
  uint32_t id;
  void* reserved[2];
} roofmark_site;

typedef struct roofmark_token {
  void* node;
  uint64_t visit;
} roofmark_token;

typedef struct roofmark_api {
  uint32_t abi;
  uint32_t size;
  int (*connect)(void);
  roofmark_token (*enter)(roofmark_site* site);
  void (*leave)(roofmark_token token);
  roofmark_token (*enter_name)(const char* name, size_t length);
  void (*leave_site)(roofmark_site* site);
  void (*declare)(roofmark_token token, double flop, double bytes);
  void (*detach_thread)(void);
} roofmark_api;
}
#endif

#if !defined(ROOFMARK_DISABLE) && !(defined(__linux__) && defined(__GNUC__))
#define ROOFMARK_DISABLE  // other systems: no runtime exists yet
#endif

#define ROOFMARK_JOIN2_(a, b) a##b
#define ROOFMARK_JOIN_(a, b) ROOFMARK_JOIN2_(a, b)

#ifndef ROOFMARK_DISABLE

extern "C" {
// Both weak: an old glibc without -ldl, or a program without the runtime's archive, has no such
// symbol. An own name for dlsym, so that <dlfcn.h> may or may not be included as well.
extern void* roofmark_dlsym_(void* handle, const char* name) __asm__("dlsym")
    __attribute__((weak, visibility("default")));
extern const roofmark_api roofmark_api_v1 __attribute__((weak, visibility("default")));
}

namespace roofmark {
// Hidden: each library has its own state, two versions of this file live in one process, and a
// library that uses it can be unloaded (no STB_GNU_UNIQUE symbol).
inline namespace annotation_v1 __attribute__((visibility("hidden"))) {

  struct Flop {
    double value;
  };
  struct Bytes {
    double value;
  };

  namespace detail {

  // A static member of a template and not an inline variable or a function's static: those become
  // STB_GNU_UNIQUE. 0: not asked yet, 1: no runtime, else the table.
  template <class Unused>
  struct Found {
    static const roofmark_api* api;
  };
  template <class Unused>
  const roofmark_api* Found<Unused>::api = nullptr;

  __attribute__((noinline, cold)) inline const roofmark_api* find_runtime() {
    const roofmark_api* api = __atomic_load_n(&Found<void>::api, __ATOMIC_ACQUIRE);
    if (reinterpret_cast<uintptr_t>(api) > 1) return api;  // found once is found for good
    api = nullptr;
    if (&roofmark_dlsym_ != nullptr)
      api = static_cast<const roofmark_api*>(roofmark_dlsym_(nullptr, "roofmark_api_v1"));
    if (api == nullptr && &roofmark_api_v1 != nullptr) api = &roofmark_api_v1;
    if (api != nullptr && (api->abi != 1 || api->size < sizeof(roofmark_api) || !api->connect()))
      api = nullptr;
    __atomic_store_n(&Found<void>::api,
                     api != nullptr ? api : reinterpret_cast<const roofmark_api*>(uintptr_t{1}),
                     __ATOMIC_RELEASE);
    return api;
  }

  inline const roofmark_api* runtime() {
    const roofmark_api* api = __atomic_load_n(&Found<void>::api, __ATOMIC_ACQUIRE);
    if (reinterpret_cast<uintptr_t>(api) > 1) return api;
    return __builtin_expect(api == nullptr, 0) ? find_runtime() : nullptr;
  }

  /// The table, where it is known that there is one.
  inline const roofmark_api* found() {
    return __atomic_load_n(&Found<void>::api, __ATOMIC_RELAXED);
  }

  // The site of one marker; Tag is a type local to the block that the marker stands in.
  template <class Tag>
  struct SiteOf {
    static roofmark_site site;
  };
  template <class Tag>
  roofmark_site SiteOf<Tag>::site = {Tag::name(), Tag::length, 0, {nullptr, nullptr}};

  inline size_t length_of(const char* text) {
    return __builtin_strlen(text);
  }

  }  // namespace detail

  /// A region from construction to destruction. Belongs to the thread that made it; one that is
  /// closed by another thread, or out of order, is flagged in the report.
  class Scope {
   public:
    explicit Scope(roofmark_site& site) : node_(nullptr), visit_(0) {
      if (const roofmark_api* api = detail::runtime()) open(api->enter(&site));
    }
    /// A function's scope: its name is not a constant expression, so the site learns it here.
    Scope(roofmark_site& site, const char* function) : node_(nullptr), visit_(0) {
      const roofmark_api* api = detail::runtime();
      if (api == nullptr) return;
      if (__atomic_load_n(&site.id, __ATOMIC_RELAXED) == 0) {
        __atomic_store_n(&site.length, static_cast<uint32_t>(detail::length_of(function)),
                         __ATOMIC_RELAXED);
        __atomic_store_n(&site.name, function, __ATOMIC_RELEASE);
      }
      open(api->enter(&site));
    }
    Scope(const char* name, size_t length) : node_(nullptr), visit_(0) {
      if (const roofmark_api* api = detail::runtime()) open(api->enter_name(name, length));
    }
    explicit Scope(const char* name) : node_(nullptr), visit_(0) {
      if (const roofmark_api* api = detail::runtime())
        open(api->enter_name(name, detail::length_of(name)));
    }
    /// std::string, std::string_view and their like.
    template <class Text,
              size_t = sizeof(static_cast<const char*>(static_cast<const Text*>(nullptr)->data()))>
    explicit Scope(const Text& name) : Scope(name.data(), name.size()) {}
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;
    ~Scope() {
      if (node_ != nullptr) detail::found()->leave(token());
    }

    /// Adds to this region the FLOPs and bytes that the author counted by hand.
    void declare(Flop flop, Bytes bytes) {
      if (node_ != nullptr) detail::found()->declare(token(), flop.value, bytes.value);
    }
    void declare(Flop flop) { declare(flop, Bytes{0}); }
    void declare(Bytes bytes) { declare(Flop{0}, bytes); }

   private:
    // Two words and not a token: compilers keep them in registers.
    void open(roofmark_token token) {
      node_ = token.node;
      visit_ = token.visit;
    }
    roofmark_token token() const {
      roofmark_token token = {node_, visit_};
      return token;
    }

    void* node_;  // null without a runtime: one that is found later sees no lone exit
    uint64_t visit_;
  };

  /// Looks for a runtime again, for this library or program. True: recording.
  inline bool attach() {
    return detail::find_runtime() != nullptr;
  }

  /// This thread's regions no longer hang below those of the thread that created it.
  inline void detach_thread() {
    const roofmark_api* api = detail::runtime();
    if (api != nullptr) api->detach_thread();
  }

  /// Adds hand-counted work to the innermost open region of this thread.
  inline void declare(Flop flop, Bytes bytes) {
    const roofmark_api* api = detail::runtime();
    const roofmark_token innermost = {nullptr, 0};
    if (api != nullptr) api->declare(innermost, flop.value, bytes.value);
  }

  // It would take the attribute for the name.
  // clang-format off
}  // namespace annotation_v1
// clang-format on
}  // namespace roofmark

#define ROOFMARK_SCOPE_AT_(tag, variable, text)             \
  struct tag {                                              \
    static constexpr const char* name() { return "" text; } \
    enum : uint32_t { length = sizeof("" text) - 1 };       \
  };                                                        \
  ::roofmark::Scope variable(::roofmark::detail::SiteOf<tag>::site)
#define ROOFMARK_FUNCTION_AT_(tag, variable)                \
  struct tag {                                              \
    static constexpr const char* name() { return nullptr; } \
    enum : uint32_t { length = 0 };                         \
  };                                                        \
  ::roofmark::Scope variable(::roofmark::detail::SiteOf<tag>::site, __func__)

#define ROOFMARK_SCOPE_AS(variable, text) \
  ROOFMARK_SCOPE_AT_(ROOFMARK_JOIN_(roofmark_site_of_, variable), variable, text)
// By the line and not by __COUNTER__: in an inline function the site must bear the same name in
// every source file, or the linker would merge the sites of different regions. So two on one line
// of one block need names of their own: ROOFMARK_SCOPE_AS.
#define ROOFMARK_SCOPE(text) ROOFMARK_SCOPE_AS(ROOFMARK_JOIN_(roofmark_scope_, __LINE__), text)
#define ROOFMARK_FUNCTION() \
  ROOFMARK_FUNCTION_AT_(roofmark_site_of_function_, roofmark_scope_of_function_)

#else  // ROOFMARK_DISABLE

namespace roofmark {
// A namespace of its own: files compiled with and without ROOFMARK_DISABLE link into one program.
inline namespace annotation_disabled {

struct Flop {
  double value;
};
struct Bytes {
  double value;
};

class Scope {
 public:
  explicit Scope(const char*) {}
  Scope(const char*, size_t) {}
  template <class Text,
            size_t = sizeof(static_cast<const char*>(static_cast<const Text*>(nullptr)->data()))>
  explicit Scope(const Text&) {}
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;
  ~Scope() {}  // not trivial: a scope that nobody names is no unused variable
  void declare(Flop, Bytes) {}
  void declare(Flop) {}
  void declare(Bytes) {}
};
inline bool attach() {
  return false;
}
inline void detach_thread() {}
inline void declare(Flop, Bytes) {}

}  // namespace annotation_disabled
}  // namespace roofmark

#define ROOFMARK_SCOPE_AS(variable, text) ::roofmark::Scope variable("" text)
#define ROOFMARK_SCOPE(text) static_assert(sizeof("" text) > 0, "a name")
#define ROOFMARK_FUNCTION() static_assert(true, "")

#endif  // ROOFMARK_DISABLE

/* Roofmark annotation for C99: one file, may be copied into any project, nothing to link.
 *
 *   #include "roofmark.h"
 *   void solve(void) {
 *     ROOFMARK_BEGIN("solve");            a literal name
 *     ROOFMARK_DECLARE(2.0 * n, 24.0 * n); optional: FLOPs and bytes by the author's own count
 *     ROOFMARK_END("solve");              closes the innermost open region of that name
 *   }
 *   roofmark_token t = roofmark_begin(name);   a name known at run time (hashed, dearer)
 *   roofmark_end(t);
 *
 * Without a Roofmark runtime in the process a marker is one load and one branch. ROOFMARK_DISABLE
 * removes markers altogether. Bad nesting is recorded and flagged in the report, never fatal.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ROOFMARK_H
#define ROOFMARK_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* ---- What header and runtime share. Frozen: tables grow at their end only, callers check `size`.
 */
#ifndef ROOFMARK_API_V1_TYPES
#define ROOFMARK_API_V1_TYPES
#ifdef __cplusplus
extern "C" {
#endif

/* One place in the source that opens or closes a region. Zero but for name and length. */
typedef struct roofmark_site {
  const char* name; /* any bytes, `length` of them; the runtime copies them at first use */
  uint32_t length;
  uint32_t id; /* the runtime's, accessed atomically: 0 until it has seen the site */
  void* reserved[2];
} roofmark_site;

/* One visit of a region, opaque. node == 0: not recorded. */
typedef struct roofmark_token {
  void* node;
  uint64_t visit;
} roofmark_token;

/* The exported object `roofmark_api_v1`. Every entry may be called by any thread at any time after
 * connect() answered non-zero; enter and leave also by signal handlers. */
typedef struct roofmark_api {
  uint32_t abi;  /* 1 */
  uint32_t size; /* bytes of this table in the runtime that provides it */
  /* Starts recording where the environment asks for it. 0: markers need not be called. */
  int (*connect)(void);
  roofmark_token (*enter)(roofmark_site* site);
  /* Closes that visit; regions opened inside it that are still open are closed and flagged. */
  void (*leave)(roofmark_token token);
  roofmark_token (*enter_name)(const char* name, size_t length);
  /* Closes the innermost open region of this thread that bears the site's name. */
  void (*leave_site)(roofmark_site* site);
  /* Adds work to an open visit; token.node == 0: to the innermost open region of this thread. */
  void (*declare)(roofmark_token token, double flop, double bytes);
  /* This thread's regions no longer hang below those of its creator. */
  void (*detach_thread)(void);
} roofmark_api;

#ifdef __cplusplus
}
#endif
#endif /* ROOFMARK_API_V1_TYPES */

#if !defined(ROOFMARK_DISABLE) && !(defined(__linux__) && defined(__GNUC__))
#define ROOFMARK_DISABLE /* other systems: no runtime exists yet */
#endif

#ifndef ROOFMARK_DISABLE

/* ---- Finding the runtime */
#ifdef __cplusplus
extern "C" {
#endif
/* Both weak: an old glibc without -ldl, or a program without the runtime's archive, has no such
 * symbol. An own name for dlsym, so that <dlfcn.h> may or may not be included as well. */
extern void* roofmark_dlsym_(void* handle, const char* name) __asm__("dlsym")
    __attribute__((weak, visibility("default")));
extern const roofmark_api roofmark_api_v1 __attribute__((weak, visibility("default")));
#ifdef __cplusplus
}
#endif

/* This file's users each hold their own answer: 0 not asked yet, 1 no runtime, else the table. */
static const roofmark_api* roofmark_found_ __attribute__((unused));

/* Asks again, for this source file: after dlopen of a runtime, say. Non-zero: recording. */
__attribute__((unused, noinline, cold)) static int roofmark_attach(void) {
  const roofmark_api* api = __atomic_load_n(&roofmark_found_, __ATOMIC_ACQUIRE);
  if ((uintptr_t)api > 1) return 1; /* found once is found for good */
  api = 0;
  if (&roofmark_dlsym_ != 0) api = (const roofmark_api*)roofmark_dlsym_(0, "roofmark_api_v1");
  if (api == 0 && &roofmark_api_v1 != 0) api = &roofmark_api_v1;
  if (api != 0 && (api->abi != 1 || api->size < sizeof(roofmark_api) || !api->connect())) api = 0;
  __atomic_store_n(&roofmark_found_, api != 0 ? api : (const roofmark_api*)1, __ATOMIC_RELEASE);
  return api != 0;
}

/* The table, or null. */
__attribute__((unused)) static inline const roofmark_api* roofmark_runtime_(void) {
  const roofmark_api* api = __atomic_load_n(&roofmark_found_, __ATOMIC_ACQUIRE);
  if ((uintptr_t)api > 1) return api;
  if (__builtin_expect(api == 0, 0) && roofmark_attach())
    return __atomic_load_n(&roofmark_found_, __ATOMIC_ACQUIRE);
  return 0;
}

__attribute__((unused)) static inline void roofmark_enter_(roofmark_site* site) {
  const roofmark_api* api = roofmark_runtime_();
  if (api != 0) (void)api->enter(site);
}
__attribute__((unused)) static inline void roofmark_leave_(roofmark_site* site) {
  const roofmark_api* api = roofmark_runtime_();
  if (api != 0) api->leave_site(site);
}
__attribute__((unused)) static inline roofmark_token roofmark_begin_bytes(const char* name,
                                                                          size_t length) {
  const roofmark_api* api = roofmark_runtime_();
  roofmark_token none = {0, 0};
  return api != 0 ? api->enter_name(name, length) : none;
}
__attribute__((unused)) static inline roofmark_token roofmark_begin(const char* name) {
  const roofmark_api* api = roofmark_runtime_();
  roofmark_token none = {0, 0};
  return api != 0 ? api->enter_name(name, strlen(name)) : none;
}
__attribute__((unused)) static inline void roofmark_end(roofmark_token token) {
  const roofmark_api* api = roofmark_runtime_();
  if (api != 0 && token.node != 0) api->leave(token);
}
/* Adds FLOPs and bytes, by the author's own count, to the innermost open region of this thread. */
__attribute__((unused)) static inline void roofmark_declare(double flop, double bytes) {
  const roofmark_api* api = roofmark_runtime_();
  roofmark_token innermost = {0, 0};
  if (api != 0) api->declare(innermost, flop, bytes);
}
__attribute__((unused)) static inline void roofmark_detach_thread(void) {
  const roofmark_api* api = roofmark_runtime_();
  if (api != 0) api->detach_thread();
}

#define ROOFMARK_AT_SITE_(function, name)                                            \
  do {                                                                               \
    static roofmark_site roofmark_site_ = {"" name, sizeof("" name) - 1, 0, {0, 0}}; \
    function(&roofmark_site_);                                                       \
  } while (0)
#define ROOFMARK_BEGIN(name) ROOFMARK_AT_SITE_(roofmark_enter_, name)
#define ROOFMARK_END(name) ROOFMARK_AT_SITE_(roofmark_leave_, name)
#define ROOFMARK_DECLARE(flop, bytes) roofmark_declare((flop), (bytes))

#else /* ROOFMARK_DISABLE */

#if defined(__GNUC__)
#define ROOFMARK_UNUSED_ __attribute__((unused))
#else
#define ROOFMARK_UNUSED_
#endif
ROOFMARK_UNUSED_ static int roofmark_attach(void) {
  return 0;
}
ROOFMARK_UNUSED_ static roofmark_token roofmark_begin_bytes(const char* name, size_t length) {
  roofmark_token none = {0, 0};
  (void)name;
  (void)length;
  return none;
}
ROOFMARK_UNUSED_ static roofmark_token roofmark_begin(const char* name) {
  return roofmark_begin_bytes(name, 0);
}
ROOFMARK_UNUSED_ static void roofmark_end(roofmark_token token) {
  (void)token;
}
ROOFMARK_UNUSED_ static void roofmark_declare(double flop, double bytes) {
  (void)flop;
  (void)bytes;
}
ROOFMARK_UNUSED_ static void roofmark_detach_thread(void) {}
#define ROOFMARK_BEGIN(name) ((void)sizeof("" name))
#define ROOFMARK_END(name) ((void)sizeof("" name))
#define ROOFMARK_DECLARE(flop, bytes) ((void)sizeof(flop), (void)sizeof(bytes))

#endif /* ROOFMARK_DISABLE */
#endif /* ROOFMARK_H */

/* What the wrappers of all packs do: find the function that they stand in for, and make a region of
 * the outermost call of a thread. C and the C library alone, as everything in the target. */
#pragma once

#include <roofmark/roofmark.h>
#include <stdint.h>

/* In one section, by which a pack knows its own functions. The emulator leaves out libroofmark-*.so
 * as a whole. */
#define PACK_CODE __attribute__((section("roofmark_pack_code")))
#define PACK_EXPORT __attribute__((visibility("default"))) PACK_CODE
#define PACK_INLINE __attribute__((always_inline, unused)) static inline

/* An integer, an enumeration or a pointer that goes through as it came: all of its register. */
typedef int64_t word;

struct pack_function {
  void* real; /* null: not looked for yet */
  const char* symbol;
};

enum { pack_shapes_of_routine = 64 };

struct pack_routine {
  roofmark_site site;
  uint64_t shapes[pack_shapes_of_routine]; /* hashes of those that have got regions; 0: free */
};
#define PACK_ROUTINE(name)                 \
  {                                        \
    {name, sizeof(name) - 1, 0, {0, 0}}, { \
      0                                    \
    }                                      \
  }

struct pack_work {
  double flop, bytes;
};

/* The call of this thread that is a region. Its wrapper leaves a mark in its own frame, so that one
 * which was left by longjmp or by an exception is known from one that is still being executed. */
struct pack_call {
  uintptr_t mark; /* address of the mark, 0: none is open */
  roofmark_token token;
};
extern __thread struct pack_call pack_open_call
    __attribute__((tls_model("initial-exec"), visibility("hidden")));
/* 0: not asked yet, 1: nobody records, else the markers. */
extern const roofmark_api* pack_api __attribute__((visibility("hidden")));
/* Ends a region with its declared work; set before pack_api. */
extern void (*pack_leave)(roofmark_token, double flop, double bytes)
    __attribute__((visibility("hidden")));
/* Regions bear the sizes of the call too. */
extern int pack_by_shape __attribute__((visibility("hidden")));

#define PACK_HIDDEN __attribute__((visibility("hidden"), cold)) PACK_CODE
PACK_HIDDEN void* pack_find(struct pack_function* function, const void* caller);
PACK_HIDDEN const roofmark_api* pack_connect(void);
/* Is the open call one around the wrapper with this mark? One that was left is ended. */
PACK_HIDDEN int pack_is_inside(const roofmark_api* api, uintptr_t mark);
PACK_HIDDEN roofmark_token pack_enter_shape(const roofmark_api* api, struct pack_routine* routine,
                                            int count, const int64_t* sizes);

PACK_INLINE void* pack_real(struct pack_function* function, const void* caller) {
  void* const real = __atomic_load_n(&function->real, __ATOMIC_RELAXED);
  return __builtin_expect(real != 0, 1) ? real : pack_find(function, caller);
}

/* The markers, where this call is to be a region. */
PACK_INLINE const roofmark_api* pack_connects(const volatile uintptr_t* mark) {
  const roofmark_api* api = __atomic_load_n(&pack_api, __ATOMIC_ACQUIRE);
  if (__builtin_expect((uintptr_t)api <= 1, 0)) {
    api = pack_connect();
    if ((uintptr_t)api <= 1) return 0;
  }
  if (__builtin_expect(pack_open_call.mark != 0, 0) && pack_is_inside(api, (uintptr_t)mark))
    return 0;
  return api;
}

PACK_INLINE uintptr_t pack_mark_at(uintptr_t place) {
  return place ^ (uintptr_t)0x5bd1e995a7c3f10du;
}

PACK_INLINE void pack_begin(volatile uintptr_t* mark, roofmark_token token) {
  *mark = pack_mark_at((uintptr_t)mark);
  pack_open_call.token = token;
  pack_open_call.mark = (uintptr_t)mark;
}

#define PACK_ENTER(api, routine, ...)                                                \
  (__builtin_expect(pack_by_shape, 0)                                                \
       ? pack_enter_shape(api, &routine,                                             \
                          (int)(sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t)), \
                          (const int64_t[]){__VA_ARGS__})                            \
       : (api)->enter(&(routine).site))

PACK_INLINE void pack_end(volatile uintptr_t* mark, roofmark_token token,
                          const struct pack_work* work) {
  *mark = 0;
  pack_open_call.mark = 0;
  if (token.node == 0) return;
  pack_leave(token, work->flop, work->bytes);
}

PACK_INLINE double pack_size(int64_t size) {
  const double real = (double)size;
  return real > 0 ? real : 0; /* one instruction, where a comparison of integers is a branch */
}
PACK_INLINE int32_t pack_int32_at(const void* integer) {
  int32_t value;
  __builtin_memcpy(&value, integer, sizeof value);
  return value;
}
PACK_INLINE int64_t pack_int64_at(const void* integer) {
  int64_t value;
  __builtin_memcpy(&value, integer, sizeof value);
  return value;
}
/* LAPACK and BLAS take either case. */
PACK_INLINE int pack_letter(const void* character, char upper) {
  return (*(const char*)character & ~0x20) == upper;
}
PACK_INLINE int pack_is_zero(const void* number, int bytes) {
  /* -0 and 0: all but the signs. */
  if (bytes == 4) {
    uint32_t bits;
    __builtin_memcpy(&bits, number, sizeof bits);
    return bits << 1 == 0;
  }
  uint64_t parts[2] = {0, 0};
  __builtin_memcpy(parts, number, (size_t)bytes < sizeof parts ? (size_t)bytes : sizeof parts);
  return (parts[0] << 1 | parts[1] << 1) == 0;
}

/* FFTW: what is known of a plan. */
PACK_HIDDEN void pack_keep_plan(const void* plan, double flop, double bytes);
PACK_HIDDEN void pack_forget_plan(const void* plan);
__attribute__((visibility("hidden"))) PACK_CODE struct pack_work pack_plan_work(const void* plan);

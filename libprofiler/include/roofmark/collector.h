/* What a collector of hardware counts offers to the runtime in the target: its counting half. The
   planning half, in the analysis, says by a text what is to be counted; the runtime hands that text
   over once, opens counters for every thread, and reads them at both edges of every visit. Counters
   are never stopped or set back: the runtime subtracts.

   The text's first line is `roofmark-NAME/VERSION`. The half for `perf` is compiled into the
   runtime; any other is `libroofmark-NAME.so` beside it, loaded (RTLD_NOW | RTLD_LOCAL) at the
   first marker of a process that has a plan, which exports one object of this type:

       const roofmark_counting_half roofmark_counting_half_v1

   All functions may be called with signals blocked and the runtime's lock held; they must not call
   markers. `read` is called at every edge: it allocates nothing and takes no lock that a thread
   which was interrupted may hold. C99. */
#ifndef ROOFMARK_COLLECTOR_H
#define ROOFMARK_COLLECTOR_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ROOFMARK_COUNTING_HALF_ABI 1
#define ROOFMARK_COUNTING_HALF_SYMBOL "roofmark_counting_half_v1"

enum {
  roofmark_most_counting_groups = 64,
  roofmark_most_counting_words = 512 /* of one reading */
};

/* Counters that are read at one moment. Its words in a reading, from `first_word` on:
   enabled, running, then `values` counts, all 64 bits wide and never set back.
   `enabled` is the time (any unit) in which the group was to count, `running` that in which it did:
   over a visit, running == enabled means that the difference of the counts is exact, less that
   others had the counters meanwhile, none that nothing was counted. A group that always counts
   leaves both 0 and says so by `always_runs`. */
typedef struct roofmark_counting_group {
  uint32_t first_word;
  uint32_t values;
  uint32_t of_package;  /* 0: of a thread; 1: of a whole package, whoever works there */
  uint32_t always_runs; /* 1: both times stay 0 */
} roofmark_counting_group;

typedef struct roofmark_counting_shape {
  uint32_t groups;
  uint32_t words;        /* of a reading: 2 + values of every group, in order */
  uint32_t state_bytes;  /* of what the half keeps for one thread */
  uint32_t reads_others; /* 1: a thread may open and read another one's counters */
  roofmark_counting_group group[roofmark_most_counting_groups];
} roofmark_counting_shape;

typedef struct roofmark_counting_refusal {
  int32_t error;  /* errno, or the half's own number below 0 */
  uint32_t group; /* in the shape */
  uint32_t event; /* in the group */
} roofmark_counting_refusal;

enum { roofmark_this_thread = 0, roofmark_packages = -1 };

typedef struct roofmark_counting_half {
  uint32_t abi;  /* ROOFMARK_COUNTING_HALF_ABI */
  uint32_t size; /* of this structure */

  /* Once per process image, before anything else. NULL, or a sentence: nothing is counted then. */
  const char* (*begin)(const char* plan, size_t length, roofmark_counting_shape* shape);

  /* Opens the groups of a thread (roofmark_this_thread, or its number where `reads_others`), or
     those of the packages. `state` is zeroed memory of state_bytes, aligned to 64, that stays where
     it is. Returns a bit for each open group; `first` is why the first of the others is not. */
  uint64_t (*open)(void* state, int thread, roofmark_counting_refusal* first);

  /* Fills the words of the groups that are open; a bit for each that could be read. `own`: the
     state is the calling thread's. */
  uint64_t (*read)(void* state, int own, uint64_t* words);

  /* `in_child`: in a fork child, of a state that came with the fork. Its counters are the parent's:
     they must not be stopped, and descriptors and mappings may be gone or another's. The state is
     not read any more and may be opened again. */
  void (*close)(void* state, int in_child);
} roofmark_counting_half;

#ifdef __cplusplus
}
#endif

#endif

/* What an example says of itself: `PROGRAM --expect [ARGS]` prints the closed forms of its regions,
   one JSON object a line, and does no work. tests/examples holds what Roofmark counts to these
   lines. C99 and C++11. */
#ifndef EXAMPLES_SUPPORT_EXPECT_H
#define EXAMPLES_SUPPORT_EXPECT_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A quantity that has no closed form (it hangs on the caches, or on the compiler) is left out. */
#define NO_CLOSED_FORM (-1.0)

struct expected_work {
  const char* path;      /* "solve/spmv" */
  const char* precision; /* "f64", "f32" */
  double visits;
  double flop;       /* exact, summed over the visits */
  double l1_read;    /* what the loads ask for */
  double l1_write;   /* what the stores ask for */
  double dram_read;  /* fills from memory, write-allocate included */
  double dram_write; /* write-backs */
};

static inline void print_field(const char* name, double value) {
  if (value >= 0) printf(", \"%s\": %.0f", name, value);
}

static inline void print_expected(struct expected_work work) {
  printf("{\"path\": \"%s\", \"precision\": \"%s\"", work.path, work.precision);
  print_field("visits", work.visits);
  print_field("flop", work.flop);
  print_field("l1_read", work.l1_read);
  print_field("l1_write", work.l1_write);
  print_field("dram_read", work.dram_read);
  print_field("dram_write", work.dram_write);
  printf("}\n");
}

/* Takes `--expect` off the front of the arguments. */
static inline int take_expect(int* argc, char*** argv) {
  if (*argc < 2 || strcmp((*argv)[1], "--expect") != 0) return 0;
  (*argv)[1] = (*argv)[0];
  ++*argv;
  --*argc;
  return 1;
}

/* The argument at `index` as a count, `fallback` where it is absent; ends the program on anything
 * else. */
static inline size_t count_argument(int argc, char** argv, int index, size_t fallback) {
  char* end;
  unsigned long long value;
  if (index >= argc) return fallback;
  value = strtoull(argv[index], &end, 10);
  if (*end != '\0' || argv[index][0] == '-' || value == 0) {
    fprintf(stderr, "%s: '%s' is not a count above 0\n", argv[0], argv[index]);
    exit(2);
  }
  return (size_t)value;
}

#endif

/* A walk along pointers that are strewn over memory, in C: each load waits for the one before it.
 *
 *   usage: pointer_walk [--expect] [nodes = 4194304] [steps = 4000000]
 *
 * Closed forms of the walk:
 *   FLOP    0
 *   L1      8 bytes read a step
 *   DRAM    64 bytes read a step (a whole line for one pointer) at the first step on each node, and
 *           again where the nodes' 64 bytes each are much more than the last cache holds
 * Neither bandwidth nor arithmetic explains its time: it is bound by latency, and the remedy is not
 * a faster loop but another layout, or several walks at once. */
#include <roofmark/roofmark.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "../support/expect.h"

struct node {
  struct node* next;
  char rest_of_the_line[64 - sizeof(struct node*)];
};

/* Sattolo's shuffle: one cycle through all nodes, so that the walk can't fall into a short one. */
static void link_into_one_cycle(struct node* nodes, size_t n) {
  uint64_t random = 88172645463325252u;
  size_t i;
  for (i = 0; i < n; ++i) nodes[i].next = &nodes[i];
  for (i = n - 1; i > 0; --i) {
    struct node* swapped = nodes[i].next;
    size_t other;
    random ^= random << 13; /* xorshift64 */
    random ^= random >> 7;
    random ^= random << 17;
    other = (size_t)(random % i);
    nodes[i].next = nodes[other].next;
    nodes[other].next = swapped;
  }
}

static const struct node* walk(const struct node* at, size_t steps) {
  ROOFMARK_BEGIN("walk");
  while (steps-- > 0) at = at->next;
  ROOFMARK_END("walk");
  return at;
}

int main(int argc, char** argv) {
  const int expect = take_expect(&argc, &argv);
  const size_t n = count_argument(argc, argv, 1, 4194304);
  const size_t steps = count_argument(argc, argv, 2, 4000000);
  struct node* nodes;
  const struct node* end;
  if (expect) {
    const struct expected_work work = {"walk", "f64",          1, 0, 8 * (double)steps,
                                       0,      NO_CLOSED_FORM, 0};
    print_expected(work);
    return 0;
  }

  nodes = aligned_alloc(64, n * sizeof *nodes);
  if (nodes == NULL) return 1;
  link_into_one_cycle(nodes, n);
  end = walk(nodes, steps);
  printf("ended on node %zu\n", (size_t)(end - nodes));
  free(nodes);
  return 0;
}

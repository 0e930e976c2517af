/* Loads whose values nothing uses: the program asks memory for them all the same. */
#include <roofmark/roofmark.h>

enum { line = 64, lines = 4096 };
static volatile char memory[lines * line];

int main(void) {
  /* Two into one register: the first value is overwritten by the second load. */
  ROOFMARK_BEGIN("pairs");
  for (long at = 0; at < lines * line; at += 2 * line)
    __asm__ volatile("movzbl (%0), %%ecx\n\tmovzbl 64(%0), %%ecx" ::"r"(memory + at)
                     : "ecx", "memory");
  ROOFMARK_END("pairs");

  /* The same between vectors, with a sum of each. */
  ROOFMARK_BEGIN("vectors");
  for (long at = 0; at < lines * line; at += line)
    __asm__ volatile(
        "movups (%0), %%xmm0\n\tmovups 16(%0), %%xmm0\n\taddpd %%xmm0, %%xmm0"
        "\n\tmovsd 32(%0), %%xmm0" ::"r"(memory + at)
        : "xmm0", "memory");
  ROOFMARK_END("vectors");

  /* As a program that warms a cache has it, unrolled by hand. */
  ROOFMARK_BEGIN("touch");
  for (long at = 0; at < lines * line; at += 4 * line) {
    (void)memory[at];
    (void)memory[at + line];
    (void)memory[at + 2 * line];
    (void)memory[at + 3 * line];
  }
  ROOFMARK_END("touch");
  return 0;
}

/* Every instruction of operands.inc, 1000 times in a region of its own, and the loop without one.
 */
#include <roofmark/roofmark.h>

enum { times = 1000 };
static unsigned char memory[4096] __attribute__((aligned(64)));

#define OPERAND(name, loads, load_bytes, stores, store_bytes, instructions)                      \
  {                                                                                              \
    long left = times;                                                                           \
    ROOFMARK_BEGIN(name);                                                                        \
    __asm__ volatile("1:\n\t" instructions "\n\tdec %0\n\tjnz 1b"                                \
                     : "+r"(left)                                                                \
                     : "r"(memory)                                                               \
                     : "memory", "cc", "rax", "rcx", "rdx", "rbx", "rsi", "rdi", "xmm2", "xmm3", \
                       "xmm4", "xmm5", "xmm6", "st", "mm2");                                     \
    ROOFMARK_END(name);                                                                          \
  }

int main(void) {
  OPERAND("none", 0, 0, 0, 0, "nop")
#include "operands.inc"
  return 0;
}

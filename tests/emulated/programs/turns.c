/* Loops of few turns and conditions of two parts: what stands between two branches is executed when
   it is asked for and never else. Every region 100 times. */
#include <roofmark/roofmark.h>
#include <stdio.h>

int main(void) {
  double x = 0, one = 1;
  for (int turns = 1; turns <= 9; ++turns) {
    char name[16];
    snprintf(name, sizeof name, "turns %d", turns);
    const roofmark_token token = roofmark_begin(name);
    for (int i = 0; i < 100; ++i)
      __asm__ volatile("mov %1, %%ecx\n1:\n\taddsd %2, %0\n\tdec %%ecx\n\tjnz 1b"
                       : "+x"(x)
                       : "r"(turns), "x"(one)
                       : "ecx", "cc");
    roofmark_end(token);
  }
  for (int both = 0; both < 4; ++both) {
    char name[16];
    snprintf(name, sizeof name, "if %d and %d", both & 1, both >> 1);
    const roofmark_token token = roofmark_begin(name);
    for (int i = 0; i < 100; ++i)
      __asm__ volatile(
          "test %1, %1\n\tjz 1f\n\taddsd %3, %0\n\ttest %2, %2\n\tjz 1f\n\tmulsd %3, %0\n1:"
          : "+x"(x)
          : "r"(both & 1), "r"(both >> 1), "x"(one)
          : "cc");
    roofmark_end(token);
  }
  return x < 0;
}

/* A region of a known number of instructions, four an iteration, for a guest whose processor counts
   them exactly. usage: loop ITERATIONS */
#include <roofmark/roofmark.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  unsigned long left = argc > 1 ? strtoul(argv[1], NULL, 10) : 1;
  int visit;
  for (visit = 0; visit < 4; ++visit) {
    unsigned long n = left;
    const roofmark_token token = roofmark_begin("loop");
    __asm__ volatile("1: fmul d0, d1, d2\n\tadd x9, x9, #1\n\tsubs %0, %0, #1\n\tb.ne 1b"
                     : "+r"(n)::"x9", "d0", "cc");
    roofmark_end(token);
  }
  puts("looped");
  return 0;
}

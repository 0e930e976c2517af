/* A region that bears the name of what can't be kept, and a name that is too long to be kept. */
#include <roofmark/roofmark.h>
#include <stdio.h>
#include <string.h>

static volatile double sum;

int main(void) {
  static char longer[5000];
  memset(longer, 'x', sizeof longer - 1);
  for (int i = 0; i < 2; ++i) {
    ROOFMARK_BEGIN("(other)");
    ROOFMARK_BEGIN("inside");
    sum = sum + 1.0;
    ROOFMARK_END("inside");
    ROOFMARK_END("(other)");
  }
  ROOFMARK_BEGIN("solve");
  const roofmark_token token = roofmark_begin(longer);
  sum = sum + 1.0;
  ROOFMARK_BEGIN("below");
  sum = sum + 1.0;
  ROOFMARK_END("below");
  roofmark_end(token);
  ROOFMARK_END("solve");
  printf("%g\n", sum);
  return 0;
}

#include <roofmark/roofmark.h>
#include <stdio.h>

int main(void) {
  ROOFMARK_BEGIN("from_c");
  ROOFMARK_DECLARE(1000, 8000);
  puts("ran");
  ROOFMARK_END("from_c");
  return 0;
}

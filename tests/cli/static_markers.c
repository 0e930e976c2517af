#include <roofmark/roofmark.h>

int main(void) {
  ROOFMARK_BEGIN("never seen");
  ROOFMARK_END("never seen");
  return 0;
}

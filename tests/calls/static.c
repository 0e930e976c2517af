#include <stdio.h>
__attribute__((noinline)) int in_static_program(int a) {
  __asm__ volatile("");
  return a + 1;
}
int main(void) {
  int sum = 0;
  for (int i = 0; i < 10; ++i) sum += in_static_program(i);
  printf("%d\n", sum);
  return 0;
}

/* Another tool's injection. */
#include <stdint.h>
#include <stdio.h>

int InitializeInjectionNvtx2(const void* (*table)(uint32_t));
int InitializeInjectionNvtx2(const void* (*table)(uint32_t)) {
  fprintf(stderr, "the other tool has %s\n", table(1) != NULL ? "it" : "nothing");
  return 1;
}

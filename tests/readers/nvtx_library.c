#include "nvtx_client.h"
#include "work.h"

void ranges_of_library(void);
void ranges_of_library(void) {
  nvtxRangePushA("library");
  work(10);
  nvtxRangePop();
}

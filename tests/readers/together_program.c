/* One process that uses several tools, and Roofmark itself. */
#include <roofmark/roofmark.h>

#include "nvtx_client.h"
#include "work.h"

extern int likwid_markerStartRegion(const char*);
extern int likwid_markerStopRegion(const char*);

int main(void) {
  for (int i = 0; i < 2; ++i) {
    nvtxRangePushA("range");
    likwid_markerStartRegion("marker");
    ROOFMARK_BEGIN("own");
    nvtxRangePushA("innermost");
    work(100);
    nvtxRangePop();
    ROOFMARK_END("own");
    likwid_markerStopRegion("marker");
    nvtxRangePop();
  }
  return 0;
}

/* Kernels below ranges of NVTX, by NVIDIA's own header: there is no marker of ours in it. */
#include <nvtx3/nvToolsExt.h>
#include <stddef.h>
#include <stdint.h>

typedef struct Context Context;
int cuInit(unsigned);
int cuCtxCreate_v2(Context**, unsigned, int);
int cuLaunchKernel(const char*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                   unsigned, uintptr_t, void**, void**);

static int launch(const char* kernel) {
  return cuLaunchKernel(kernel, 1, 1, 1, 32, 1, 1, 0, 0, NULL, NULL);
}

int main(void) {
  Context* context = NULL;
  if (cuInit(0) != 0 || cuCtxCreate_v2(&context, 0, 0) != 0) return 1;
  int failed = launch("before");
  nvtxRangePushA("step");
  failed |= launch("triad");
  nvtxRangeId_t range = nvtxRangeStartA("inside");
  failed |= launch("triad");
  nvtxRangeEnd(range);
  nvtxDomainHandle_t domain = nvtxDomainCreateA("library");
  nvtxEventAttributes_t event = {0};
  event.version = NVTX_VERSION;
  event.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  event.messageType = NVTX_MESSAGE_TYPE_ASCII;
  event.message.ascii = "solve";
  nvtxDomainRangePushEx(domain, &event);
  failed |= launch("dgemm");
  nvtxDomainRangePop(domain);
  nvtxRangePop();
  return failed;
}

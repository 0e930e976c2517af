/* NVTX ranges of every kind, in the program and in a library with its own copy of NVTX. Prints the
 * depths that push and pop have given. */
#include <pthread.h>
#include <stdio.h>

#include "nvtx_client.h"
#include "work.h"

void ranges_of_library(void);

static nvtxEventAttributes_t event_of(int type) {
  nvtxEventAttributes_t event = {3, sizeof event, 0, 0, 0, 0, 0, 0, 0, {NULL}};
  event.messageType = type;
  return event;
}

static void* in_thread(void* id) {
  nvtxRangePushA("worker");
  work(100);
  nvtxRangePop();
  nvtxRangeEnd(*(nvtxRangeId_t*)id); /* begun by the main thread */
  return NULL;
}

int main(void) {
  printf("%d", nvtxRangePushA("solve \xc3\xb6")); /* UTF-8 */
  for (int i = 0; i < 3; ++i) {
    printf(" %d", nvtxRangePushW(L"weit \x00f6 \x20ac \x1f600"));
    work(100);
    printf(" %d", nvtxRangePop());
  }
  nvtxEventAttributes_t event = event_of(NVTX_MESSAGE_TYPE_ASCII);
  event.message.ascii = "ex";
  printf(" %d", nvtxRangePushEx(&event));
  printf(" %d", nvtxRangePop());
  printf(" %d\n", nvtxRangePop());

  /* Domains that are not nested with one another. */
  const nvtxDomainHandle_t a = nvtxDomainCreateA("A"), b = nvtxDomainCreateW(L"B \x00df");
  event = event_of(NVTX_MESSAGE_TYPE_REGISTERED);
  event.message.registered = nvtxDomainRegisterStringA(a, "registered");
  nvtxDomainRangePushEx(a, &event);
  event.message.registered = nvtxDomainRegisterStringW(b, L"wide");
  nvtxDomainRangePushEx(b, &event);
  work(10);
  nvtxDomainRangePop(b);
  nvtxDomainRangePop(a);
  event = event_of(NVTX_MESSAGE_TYPE_UNICODE);
  event.message.unicode = L"again";
  nvtxDomainRangePushEx(a, &event);
  nvtxDomainRangePop(a);
  printf("%d\n", nvtxDomainRangePop(a)); /* nothing is open there */
  nvtxDomainDestroy(a);

  const nvtxRangeId_t outer = nvtxRangeStartA("started"), inner = nvtxRangeStartW(L"inside");
  work(10);
  nvtxRangeEnd(inner);
  nvtxRangeEnd(outer);
  event.message.unicode = L"of domain";
  nvtxDomainRangeEnd(b, nvtxDomainRangeStartEx(b, &event));

  ranges_of_library();

  nvtxRangePushA("around");
  nvtxRangeId_t crossing = nvtxRangeStartA("crossing");
  pthread_t thread;
  pthread_create(&thread, NULL, in_thread, &crossing);
  pthread_join(thread, NULL);
  nvtxRangePop();
  printf("%d tools\n", nvtx_tools);
  return 0;
}

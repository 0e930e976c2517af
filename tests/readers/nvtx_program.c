/* NVTX ranges of every kind, in the program and in a library with its own copy of NVTX. Prints the
 * depths that push and pop have given. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

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

/* Deeper than the readers' first page, in a thread, and back. */
static void* dig(void* unused) {
  enum { depth = 300 };
  for (int i = 0; i < depth; ++i)
    if (nvtxRangePushA(i % 2 ? "odd" : "even") != i) exit(3);
  for (int i = depth; i-- > 0;)
    if (nvtxRangePop() != i) exit(4);
  if (nvtxRangePop() != -1) exit(5);
  return unused;
}

static void* short_life(void* unused) {
  nvtxRangePushA("short");
  nvtxRangePop();
  return unused;
}

/* One after the other, so that what each leaves can be used again. */
static void threads(int count, void* (*start)(void*)) {
  for (int i = 0; i < count; ++i) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, start, NULL) != 0) exit(6);
    pthread_join(thread, NULL);
  }
}

/* The child ends what the parent has begun, which is none of its regions, and has one of its own.
 */
static void forked(void) {
  nvtxRangePushA("before");
  const pid_t child = fork();
  if (child == 0) {
    nvtxRangePushA("child");
    work(100);
    nvtxRangePop();
    nvtxRangePop();
    nvtxRangePushA("alone");
    nvtxRangePop();
    _exit(0);
  }
  int status = 1;
  waitpid(child, &status, 0);
  if (status != 0) exit(7);
  nvtxRangePop();
}

static long mapped_kb(void) {
  char line[256];
  long kb = -1;
  FILE* const file = fopen("/proc/self/status", "r");
  while (file != NULL && fgets(line, sizeof line, file) != NULL) sscanf(line, "VmSize: %ld", &kb);
  if (file != NULL) fclose(file);
  return kb;
}

int main(int argc, char** argv) {
  const char* const scenario = argc > 1 ? argv[1] : "all kinds";
  if (strcmp(scenario, "deep") == 0) {
    threads(2, dig);
    return 0;
  }
  if (strcmp(scenario, "fork") == 0) {
    forked();
    return 0;
  }
  if (strcmp(scenario, "many threads") == 0) {
    threads(100, short_life);
    const long before = mapped_kb();
    threads(2000, short_life);
    printf("%ld kB more\n", mapped_kb() - before);
    return 0;
  }
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

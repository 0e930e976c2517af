// A kernel with two kinds of cores, for a program that is preloaded with this: events whose
// `config` has 1 in its upper half count on the CPU FAKE_P alone, those with 2 on FAKE_E. As on a
// hybrid they are enabled all the time and run only while their thread is there.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <linux/perf_event.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

typedef long (*Call)(long, ...);

static int cpu_of(unsigned long long kind) {
  const char* const name = kind == 1 ? "FAKE_P" : "FAKE_E";
  const char* const cpu = getenv(name);
  // The recorder itself only asks what opens.
  return getenv("ROOFMARK_RECORDING") != NULL && cpu != NULL ? atoi(cpu) : -1;
}

long syscall(long number, ...) {
  static Call next;
  if (next == NULL) next = (Call)dlsym(RTLD_NEXT, "syscall");
  long words[6];
  va_list list;
  va_start(list, number);
  for (int i = 0; i < 6; ++i) words[i] = va_arg(list, long);
  va_end(list);
  struct perf_event_attr attr;
  if (number == SYS_perf_event_open) {
    memcpy(&attr, (const void*)words[0], sizeof attr);
    const unsigned long long kind = attr.config >> 32;
    if ((attr.type == PERF_TYPE_SOFTWARE || attr.type == PERF_TYPE_BREAKPOINT) && kind != 0) {
      attr.config &= 0xffffffff;
      words[0] = (long)&attr;
      // An int among the arguments: its upper half is anything.
      if ((int)words[2] == -1) words[2] = cpu_of(kind);
    }
  }
  return next(number, words[0], words[1], words[2], words[3], words[4], words[5]);
}

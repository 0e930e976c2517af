/* LIKWID's marker API, in two threads. */
#include <pthread.h>
#include <stdio.h>

#include "work.h"

extern void likwid_markerInit(void);
extern void likwid_markerThreadInit(void);
extern void likwid_markerClose(void);
extern int likwid_markerRegisterRegion(const char*);
extern int likwid_markerStartRegion(const char*);
extern int likwid_markerStopRegion(const char*);
extern void likwid_markerGetRegion(const char*, int*, double*, double*, int*);

static void* in_thread(void* unused) {
  (void)unused;
  likwid_markerThreadInit();
  likwid_markerStartRegion("team");
  work(100);
  likwid_markerStopRegion("team");
  return NULL;
}

int main(void) {
  likwid_markerInit();
  likwid_markerRegisterRegion("copy loop");
  for (int i = 0; i < 3; ++i) {
    likwid_markerStartRegion("copy loop");
    work(100);
    likwid_markerStartRegion("inner \xc3\xb6");
    work(10);
    likwid_markerStopRegion("inner \xc3\xb6");
    if (likwid_markerStopRegion("copy loop") != 17) return 1;
  }
  likwid_markerStartRegion("pool");
  pthread_t thread;
  pthread_create(&thread, NULL, in_thread, NULL);
  in_thread(NULL);
  pthread_join(thread, NULL);
  likwid_markerStopRegion("pool");
  int events = 1, count = 0;
  double value, time = 0;
  likwid_markerGetRegion("copy loop", &events, &value, &time, &count);
  likwid_markerClose();
  return events == 0 && count == 3 && time == 0.5 ? 0 : 1;
}

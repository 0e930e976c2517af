/* Stand-ins for the libraries of LIKWID and PAPI: the functions of their public headers, which note
 * what was called. */
#include <stdio.h>

#define NOTED(name)                \
  int name(const char* region);    \
  int name(const char* region) {   \
    printf(#name " %s\n", region); \
    fflush(stdout);                \
    return 17;                     \
  }

#if defined(AS_LIKWID)
NOTED(likwid_markerRegisterRegion)
NOTED(likwid_markerStartRegion)
NOTED(likwid_markerStopRegion)
void likwid_markerInit(void);
void likwid_markerInit(void) {}
void likwid_markerThreadInit(void);
void likwid_markerThreadInit(void) {}
void likwid_markerClose(void);
void likwid_markerClose(void) {
  printf("closed\n");
}
void likwid_markerGetRegion(const char*, int*, double*, double*, int*);
void likwid_markerGetRegion(const char* region, int* events, double* values, double* time,
                            int* count) {
  (void)region;
  (void)values;
  *events = 0;
  *time = 0.5;
  *count = 3;
}
#else
NOTED(PAPI_hl_region_begin)
NOTED(PAPI_hl_read)
NOTED(PAPI_hl_region_end)
#endif

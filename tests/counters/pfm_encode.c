/* What libpfm4 makes of event strings, of processors that this machine need not have.
 * One string a line on standard input; per line "TYPE CONFIG CONFIG1" or "error TEXT". Called with
 * `pmus`: the names of all PMUs that the library was built with. Built for other architectures too,
 * and run under QEMU. */
#include <linux/perf_event.h>
/* After the kernel's header: libpfm4 brings an old copy of it. */
#include <perfmon/pfmlib_perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void print_pmus(void) {
  for (int pmu = 0; pmu < PFM_PMU_MAX; ++pmu) {
    pfm_pmu_info_t info;
    memset(&info, 0, sizeof info);
    info.size = sizeof info;
    if (pfm_get_pmu_info((pfm_pmu_t)pmu, &info) == PFM_SUCCESS) puts(info.name);
  }
}

static void print_encoding(const char* event) {
  struct perf_event_attr attr;
  memset(&attr, 0, sizeof attr);
  attr.size = sizeof attr;
  pfm_perf_encode_arg_t argument;
  memset(&argument, 0, sizeof argument);
  argument.attr = &attr;
  argument.size = sizeof argument;
  const int fault = pfm_get_os_event_encoding(event, PFM_PLM3, PFM_OS_PERF_EVENT, &argument);
  if (fault != PFM_SUCCESS)
    printf("error %s\n", pfm_strerror(fault));
  else
    printf("%u %#llx %#llx\n", attr.type, (unsigned long long)attr.config,
           (unsigned long long)attr.config1);
}

int main(int argc, char** argv) {
  char line[4096];
  setenv("LIBPFM_ENCODE_INACTIVE", "1", 1);
  if (pfm_initialize() != PFM_SUCCESS) return 2;
  if (argc > 1 && strcmp(argv[1], "pmus") == 0) {
    print_pmus();
    return 0;
  }
  while (fgets(line, sizeof line, stdin) != NULL) {
    line[strcspn(line, "\n")] = '\0';
    print_encoding(line);
  }
  return 0;
}

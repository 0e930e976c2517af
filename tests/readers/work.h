/* 2 n FLOPs, whatever the compiler makes of the rest. */
#ifndef TESTS_READERS_WORK_H
#define TESTS_READERS_WORK_H

static volatile double work_sink = 1;

__attribute__((noinline, unused, no_instrument_function)) static void work(int n) {
  double value = work_sink;
  for (int i = 0; i < n; ++i) value = value * 0.999 + 0.001;
  work_sink = value;
}

#endif

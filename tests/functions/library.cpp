extern "C" double work_in_library(double x, long steps);

extern "C" double work_in_library(double x, long steps) {
  for (long i = 0; i < steps; ++i) {
    x = x * 0.999;
    x = x + 0.001;
  }
  return x;
}

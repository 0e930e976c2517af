/* Functions of every shape that a call can have; nothing here knows of Roofmark. */
#include "library.h"

#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* How the stack lay when the function was entered: 0 as the platform wants it. */
static int misplaced(const void* frame) {
  return (int)((uintptr_t)frame & 15);
}
#define AT_HOME misplaced(__builtin_frame_address(0))

int add(int a, int b) {
  return a + b;
}
double multiply_add(double* x, const double* y, int n) {
  double sum = 0;
  for (int i = 0; i < n; ++i) {
    x[i] = 2 * x[i] + y[i];
    sum += x[i];
  }
  return sum;
}
double many(double a, double b, double c, double d, double e, double f, double g, double h,
            double i, double j, long k, long l, long m, long n, long o, long p, long q, float r) {
  return AT_HOME + a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h + 9 * i + 10 * j +
         (double)(k + 2 * l + 3 * m + 4 * n + 5 * o + 6 * p + 7 * q) + (double)r;
}
struct large give_large(double a, int n) {
  struct large all;
  for (int i = 0; i < 6; ++i) all.x[i] = a * i + n + AT_HOME;
  return all;
}
struct mixed give_mixed(double a, long n) {
  struct mixed both = {a / 3, n * 3 + AT_HOME};
  return both;
}
struct doubles give_doubles(struct doubles in) {
  struct doubles out = {in.b / 7, in.a / 11};
  return out;
}
long double third(long double a) {
  return a / 3 + AT_HOME;
}
double _Complex square(double _Complex a) {
  return a * a;
}
float half(float a) {
  return a / 2;
}
int text_of(char* to, size_t room, const char* format, ...) {
  va_list values;
  va_start(values, format);
  const int length = vsnprintf(to, room, format, values);
  va_end(values);
  return length + AT_HOME;
}
int factorial(int n) {
  return n <= 1 ? 1 : n * factorial(n - 1);
}
int last_act(int a) {
  return add(a, 1);
}
int set_error(int number) {
  errno = number;
  return -1;
}
int see_error(void) {
  return errno;
}
int call_back(int (*function)(void*), void* data) {
  return function(data);
}
void jump_out(jmp_buf* where, int value) {
  longjmp(*where, value);
}
void jump_from_deep(jmp_buf* where, int depth) {
  if (depth < 0) return;
  if (depth == 0) jump_out(where, 7);
  jump_from_deep(where, depth - 1);
  add(depth, 1);
}
void end_program(int status) {
  exit(status);
}
void give_up(void) {
  abort();
}
int crash(volatile int* nowhere) {
  return *nowhere;
}
void end_thread(void) {
  pthread_exit(0);
}
void wait_forever(void) {
  for (;;) pause();
}
#if defined(__x86_64__)
__attribute__((target("avx"))) void wide_sum(__m256d a, __m256d b, __m256d* to) {
  *to = a + b;
}
__attribute__((target("avx"))) __m256d wide_product(__m256d a, __m256d b) {
  return a * b;
}
__attribute__((target("avx512f"))) __m512d widest_product(__m512d a, __m512d b, __m512d c,
                                                          __m512d d, __m512d e, __m512d f,
                                                          __m512d g, __m512d h) {
  return a * b + c * d + e * f + g * h;
}
#endif

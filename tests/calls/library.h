#pragma once
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

struct large {
  double x[6];
};
struct mixed {
  double a;
  long n;
};
struct doubles {
  double a, b;
};

int add(int a, int b);
double multiply_add(double* x, const double* y, int n);
double many(double a, double b, double c, double d, double e, double f, double g, double h,
            double i, double j, long k, long l, long m, long n, long o, long p, long q, float r);
struct large give_large(double a, int n);
struct mixed give_mixed(double a, long n);
struct doubles give_doubles(struct doubles in);
long double third(long double a);
double _Complex square(double _Complex a);
float half(float a);
int text_of(char* to, size_t room, const char* format, ...);
int factorial(int n);
int last_act(int a);
int set_error(int number);
int see_error(void);
int call_back(int (*function)(void*), void* data);
void jump_out(jmp_buf* where, int value);
void jump_from_deep(jmp_buf* where, int depth);
void end_program(int status);
void give_up(void);
int crash(volatile int* nowhere);
void end_thread(void);
void wait_forever(void);
#if defined(__x86_64__)
__attribute__((target("avx"))) void wide_sum(__m256d a, __m256d b, __m256d* to);
__attribute__((target("avx"))) __m256d wide_product(__m256d a, __m256d b);
__attribute__((target("avx512f"))) __m512d widest_product(__m512d a, __m512d b, __m512d c,
                                                          __m512d d, __m512d e, __m512d f,
                                                          __m512d g, __m512d h);
#endif

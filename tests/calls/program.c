/* An ordinary program that calls an ordinary library.  program WHAT */
#define _GNU_SOURCE
#include <complex.h>
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include "library.h"

static void print_bits(const char* name, const void* at, size_t count) {
  const unsigned char* bytes = at;
  printf("%s ", name);
  for (size_t i = 0; i < count; ++i) printf("%02x", bytes[i]);
  printf("\n");
}

#if defined(__x86_64__)
__attribute__((target("avx"))) static void wide(void) {
  for (int i = 0; i < 3; ++i) {
    const __m256d a = _mm256_set_pd(1.5 + i, 2.25, 3.125, 4.0625), b = _mm256_set_pd(8, 7, 6, 5);
    __m256d sum, product = wide_product(a, b);
    wide_sum(product, a, &sum);
    print_bits("wide", &product, sizeof product);
    print_bits("sum", &sum, sizeof sum);
  }
}
__attribute__((target("avx512f"))) static void widest(void) {
  for (int i = 0; i < 3; ++i) {
    __m512d v[8];
    for (int j = 0; j < 8; ++j)
      v[j] = _mm512_set_pd(j + 0.5, j + 1.25, j + 2, j + 3.125, i + 4, 5.5 + j, 6, 7.75 * j);
    const __m512d product = widest_product(v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7]);
    print_bits("widest", &product, sizeof product);
  }
}
#endif

static int arguments(void) {
  for (int i = 0; i < 3; ++i) {
    const double sum =
        many(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 0.1f + (float)i);
    print_bits("many", &sum, sizeof sum);
    const struct large large = give_large(1.1, i);
    print_bits("large", &large, sizeof large);
    const struct mixed mixed = give_mixed(1.7, i);
    print_bits("mixed", &mixed, sizeof mixed);
    const struct doubles doubles = give_doubles((struct doubles){1.3, i});
    print_bits("doubles", &doubles, sizeof doubles);
    const long double part = third(1 + i);
    print_bits("third", &part, 10);
    const double complex product = square(1.1 + (2.3 + i) * I);
    print_bits("square", &product, sizeof product);
    const float little = half(0.3f);
    print_bits("half", &little, sizeof little);
    char text[256];
    const int length = text_of(text, sizeof text,
                               "%d %s %.17g %.17g %.17g %.17g %.17g %.17g %.17g %.17g %.17g %ld", i,
                               "text", 1.1, 2.2, 3.3, 4.4, 5.5, 6.6, 7.7, 8.8, 9.9, 10L);
    printf("%d %s\n", length, text);
    printf("%d %d %d\n", add(i, 2), factorial(5), last_act(i));
    set_error(70 + i);
    printf("errno %d %d\n", see_error(), errno);
  }
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx")) wide();
  if (getenv("WIDEST") != 0 && __builtin_cpu_supports("avx512f")) widest();
#endif
  return 0;
}

/* Each of its FLOPs is known: 4 of an element. */
static int flop(void) {
  static double x[1000], y[1000];
  for (int i = 0; i < 1000; ++i) y[i] = i;
  double sum = 0;
  for (int i = 0; i < 10; ++i) sum += multiply_add(x, y, 1000);
  printf("%.17g\n", sum);
  return 0;
}

static int jumps(void) {
  jmp_buf where;
  volatile int landed = 0;
  for (volatile int i = 0; i < 3; ++i) {
    const int value = setjmp(where);
    if (value == 0) jump_from_deep(&where, 2);
    landed += value;
    landed += add(i, 0);
  }
  printf("landed %d\n", landed);
  return landed == 24 ? 0 : 1;
}

static sigjmp_buf out_of_handler;
static void handle_and_jump(int number) {
  (void)add(number, 0);
  siglongjmp(out_of_handler, 1);
}
static void handle(int number) {
  (void)add(number, 0);
}
static int raise_it(void* number) {
  return raise(*(int*)number);
}
static int signals(void) {
  static char other_stack[65536];
  const stack_t alternate = {.ss_sp = other_stack, .ss_size = sizeof other_stack};
  sigaltstack(&alternate, 0);
  struct sigaction action = {.sa_handler = handle, .sa_flags = SA_ONSTACK};
  sigaction(SIGUSR1, &action, 0);
  action.sa_handler = handle_and_jump;
  sigaction(SIGUSR2, &action, 0);
  int usr1 = SIGUSR1, usr2 = SIGUSR2;
  for (volatile int i = 0; i < 200; ++i) {
    call_back(raise_it, &usr1);
    if (sigsetjmp(out_of_handler, 1) == 0) call_back(raise_it, &usr2);
    (void)half(1);
  }
  printf("handled\n");
  return 0;
}

static void* work_in_thread(void* count) {
  for (long i = 0; i < (long)count; ++i) (void)add((int)i, 1);
  return 0;
}
static void* leave_thread(void* unused) {
  (void)unused;
  end_thread();
  return 0;
}
static void* wait_in_thread(void* unused) {
  (void)unused;
  wait_forever();
  return 0;
}
static int threads(void) {
  pthread_t all[4];
  for (int i = 0; i < 4; ++i) pthread_create(&all[i], 0, work_in_thread, (void*)1000L);
  for (int i = 0; i < 4; ++i) pthread_join(all[i], 0);
  for (int i = 0; i < 50; ++i) {
    pthread_create(&all[0], 0, leave_thread, 0);
    pthread_join(all[0], 0);
  }
  void* result = 0;
  pthread_create(&all[0], 0, wait_in_thread, 0);
  pthread_cancel(all[0]);
  pthread_join(all[0], &result);
  printf("%d\n", result == PTHREAD_CANCELED);
  return 0;
}

static volatile int stop;
static void* call_all_the_time(void* unused) {
  while (!stop) (void)add(1, 1);
  return unused;
}
static void* fork_in_thread(void* unused) {
  for (int i = 0; i < 20; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      (void)half(1);
      _exit(add(1, 2));
    }
    int status = 0;
    waitpid(child, &status, 0);
    if (WEXITSTATUS(status) != 3) printf("wrong status %d\n", status);
  }
  return unused;
}
static int forks(void) {
  pthread_t busy, forking;
  pthread_create(&busy, 0, call_all_the_time, 0);
  pthread_create(&forking, 0, fork_in_thread, 0);
  pthread_join(forking, 0);
  stop = 1;
  pthread_join(busy, 0);
  const pid_t child = vfork();
  if (child == 0) {
    execlp("true", "true", (char*)0);
    _exit(9);
  }
  int status = 1;
  waitpid(child, &status, 0);
  printf("forked %d\n", status);
  return 0;
}

/* Two stacks that take turns: the calls on one are not inside those on the other. */
static ucontext_t main_context, other_context;
static int switch_over(void* unused) {
  (void)unused;
  swapcontext(&other_context, &main_context);
  return 3;
}
static void on_other_stack(void) {
  for (int i = 0; i < 2000; ++i) {
    (void)call_back(switch_over, 0);
    (void)half(1);
  }
}
static int switch_back(void* unused) {
  (void)unused;
  swapcontext(&main_context, &other_context);
  return 5;
}
static int contexts(void) {
  const size_t size = 262144;
  getcontext(&other_context);
  other_context.uc_stack.ss_sp = malloc(size);
  other_context.uc_stack.ss_size = size;
  other_context.uc_link = &main_context;
  makecontext(&other_context, on_other_stack, 0);
  int sum = 0;
  for (int i = 0; i < 2000; ++i) sum += call_back(switch_back, 0);
  swapcontext(&main_context, &other_context);
  printf("%d\n", sum);
  return 0;
}

static int libraries(const char* path) {
  int sum = 0;
  for (int i = 0; i < 5; ++i) {
    void* library = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
    if (library == 0) return printf("%s\n", dlerror()), 1;
    int (*twice)(int) = (int (*)(int))dlsym(library, "plugin_twice");
    for (int k = 0; k < 10; ++k) sum += twice(k);
    dlclose(library);
  }
  printf("%d\n", sum);
  return 0;
}

/* A thread's first call is in a handler, in the middle of malloc(). */
static volatile sig_atomic_t allocating, handled;
static void handle_early(int number) {
  (void)number;
  (void)half(2);
  handled = 1;
}
static void* allocate(void* unused) {
  allocating = 1;
  while (!handled) {
    void* some = malloc(5000);
    __asm__ volatile("" : : "r"(some) : "memory");
    free(some);
  }
  return unused;
}
static int early(void) {
  signal(SIGUSR1, handle_early);
  for (int round = 0; round < 100; ++round) {
    pthread_t thread;
    allocating = handled = 0;
    pthread_create(&thread, 0, allocate, 0);
    while (!allocating) usleep(50);
    usleep(50 + (unsigned)round);
    pthread_kill(thread, SIGUSR1);
    pthread_join(thread, 0);
  }
  printf("handled\n");
  return 0;
}

/* A jump that no library does. */
static void* unseen_place[5];
__attribute__((noinline)) static int jump_unseen(void* unused) {
  (void)unused;
  __builtin_longjmp(unseen_place, 1);
}
static int unseen(void) {
  for (volatile int i = 0; i < 3; ++i) {
    if (__builtin_setjmp(unseen_place) == 0) (void)call_back(jump_unseen, 0);
    (void)add(i, 0);
  }
  printf("jumped\n");
  return 0;
}

static int deeper(void* depth) {
  const uintptr_t left = (uintptr_t)depth;
  return left == 0 ? 0 : 1 + call_back(deeper, (void*)(left - 1));
}

int main(int count, char** words) {
  const char* what = count > 1 ? words[1] : "arguments";
  setvbuf(stdout, 0, _IONBF, 0);
  if (strcmp(what, "arguments") == 0) return arguments();
  if (strcmp(what, "flop") == 0) return flop();
  if (strcmp(what, "jumps") == 0) return jumps();
  if (strcmp(what, "unseen") == 0) return unseen();
  if (strcmp(what, "signals") == 0) return signals();
  if (strcmp(what, "early") == 0) return early();
  if (strcmp(what, "threads") == 0) return threads();
  if (strcmp(what, "forks") == 0) return forks();
  if (strcmp(what, "contexts") == 0) return contexts();
  if (strcmp(what, "libraries") == 0) return libraries(words[2]);
  if (strcmp(what, "deep") == 0) return printf("%d\n", call_back(deeper, (void*)30000)), 0;
  if (strcmp(what, "exit") == 0) end_program(5);
  if (strcmp(what, "abort") == 0) give_up();
  if (strcmp(what, "crash") == 0) crash(0);
  return 99;
}

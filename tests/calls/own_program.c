/* Functions of the executable itself.  own_program [often|jump] */
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static double x[1000], y[1000];
static jmp_buf where;

/* Longer than a probe costs. */
__attribute__((noinline)) void own_wait(void) {
  usleep(3000);
}
__attribute__((noinline)) double own_triad(int n) {
  double sum = 0;
  for (int i = 0; i < n; ++i) {
    x[i] = 2 * x[i] + y[i];
    sum += x[i];
  }
  return sum;
}
__attribute__((noinline)) double own_outer(int n) {
  own_wait();
  const double sum = own_triad(n);
  return sum + own_triad(n);
}
__attribute__((noinline)) int own_recursion(int depth) {
  if (depth == 0) return 0;
  int below = own_recursion(depth - 1);
  __asm__ volatile("" : "+r"(below));  // behind the call: it stays one
  return below + 1;
}
__attribute__((noinline)) void own_jump(int depth) {
  __asm__ volatile("");
  if (depth < 0) return;
  if (depth == 0) longjmp(where, 1);
  own_jump(depth - 1);
  __asm__ volatile("");
}
__attribute__((noinline)) int own_often(int a) {
  __asm__ volatile("");
  return a + 1;
}
static void* in_thread(void* unused) {
  own_triad(10);
  return unused;
}

int main(int count, char** words) {
  const char* const what = count > 1 ? words[1] : "";
  if (strcmp(what, "often") == 0) {
    int sum = 0;
    for (int i = 0; i < 30000; ++i) sum = own_often(sum);
    own_wait();
    printf("%d\n", sum);
    return 0;
  }
  if (strcmp(what, "jump") == 0) {
    for (volatile int i = 0; i < 5; ++i) {
      if (setjmp(where) == 0) own_jump(3);
      own_wait();
    }
    printf("jumped\n");
    return 0;
  }
  for (int i = 0; i < 1000; ++i) y[i] = i;
  double sum = 0;
  for (int i = 0; i < 3; ++i) sum += own_outer(1000);
  pthread_t thread;
  if (pthread_create(&thread, 0, in_thread, 0) != 0) return 1;
  pthread_join(thread, 0);
  const pid_t child = fork();
  if (child < 0) return 2;
  if (child == 0) {
    own_wait();
    _exit(0);
  }
  waitpid(child, 0, 0);
  printf("%.17g %d\n", sum, own_recursion(3));
  return 0;
}

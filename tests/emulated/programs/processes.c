/* Ends, forks and bad nesting: processes MODE. work(n) does n FLOPs. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <roofmark/roofmark.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile double result;

__attribute__((noinline)) static void work(long n) {
  double s = 1;
  for (long i = 0; i < n; ++i) s += 0.5;
  result = s;
}

static void recurse(int depth) {
  ROOFMARK_BEGIN("r");
  work(10);
  if (depth > 1) recurse(depth - 1);
  ROOFMARK_END("r");
}

static void* in_thread(void* unused) {
  (void)unused;
  work(300);
  ROOFMARK_BEGIN("t");
  work(200);
  ROOFMARK_END("t");
  return 0;
}

static void* detached_thread(void* unused) {
  (void)unused;
  roofmark_detach_thread();
  ROOFMARK_BEGIN("t");
  work(200);
  ROOFMARK_END("t");
  return 0;
}

static void* empty_thread(void* unused) {
  ROOFMARK_BEGIN("short");
  work(1);
  ROOFMARK_END("short");
  return unused;
}

static roofmark_token handed_over;
static void* leaves_foreign(void* unused) {
  roofmark_end(handed_over);
  return unused;
}

static sigjmp_buf back;
static void jump(int signal_number) {
  (void)signal_number;
  siglongjmp(back, 1);
}

int main(int argc, char** argv) {
  const char* mode = argc > 1 ? argv[1] : "";
  if (!strcmp(mode, "fork")) {
    ROOFMARK_BEGIN("outer");
    work(100);
    const pid_t child = fork();
    if (child == 0) {
      ROOFMARK_BEGIN("child");
      work(1000);
      ROOFMARK_END("child");
      ROOFMARK_END("outer");
      _exit(3);
    }
    int status = 0;
    waitpid(child, &status, 0);
    work(10);
    ROOFMARK_END("outer");
    return WEXITSTATUS(status);
  }
  if (!strcmp(mode, "exec")) {
    ROOFMARK_BEGIN("before");
    work(100);
    ROOFMARK_END("before");
    execl("/no/such/program", "x", (char*)0);
    ROOFMARK_BEGIN("failed");
    work(50);
    ROOFMARK_END("failed");
    execl(argv[0], argv[0], "after", (char*)0);
    return 9;
  }
  if (!strncmp(mode, "self ", 5)) { /* by a name for "this file", as a program restarts itself */
    char by_number[40];
    snprintf(by_number, sizeof by_number, "/proc/%d/exe", (int)getpid());
    ROOFMARK_BEGIN("before");
    work(100);
    ROOFMARK_END("before");
    const char* const name = !strcmp(mode + 5, "number") ? by_number : "/proc/self/exe";
    if (!strcmp(mode + 5, "at"))
      syscall(SYS_execveat, AT_FDCWD, name, (char*[]){"x", "after", 0}, environ, 0);
    else
      execl(name, "x", "after", (char*)0);
    return 9;
  }
  if (!strcmp(mode, "after")) {
    ROOFMARK_BEGIN("after");
    work(7);
    ROOFMARK_END("after");
    return 4;
  }
  if (!strcmp(mode, "_exit") || !strcmp(mode, "kill") || !strcmp(mode, "abort")) {
    ROOFMARK_BEGIN("closed");
    work(100);
    ROOFMARK_END("closed");
    ROOFMARK_BEGIN("open");
    work(20);
    if (mode[0] == '_') _exit(5);
    if (mode[0] == 'a') abort();
    kill(getpid(), SIGKILL);
  }
  if (!strcmp(mode, "hang")) { /* until it is killed from outside */
    ROOFMARK_BEGIN("hang");
    work(1000);
    ROOFMARK_END("hang");
    ROOFMARK_BEGIN("endless");
    for (;;) {
      work(1000);
      usleep(1000);
    }
  }
  if (!strcmp(mode, "recursion")) recurse(5);
  if (!strcmp(mode, "mismatched")) {
    ROOFMARK_BEGIN("a");
    ROOFMARK_BEGIN("b");
    work(10);
    ROOFMARK_END("a"); /* b is still open */
    work(1);
    ROOFMARK_END("never opened");
    ROOFMARK_BEGIN("c");
    work(100);
    ROOFMARK_END("c");
  }
  if (!strcmp(mode, "siglongjmp")) {
    signal(SIGUSR1, jump);
    ROOFMARK_BEGIN("outer");
    if (sigsetjmp(back, 1) == 0) {
      ROOFMARK_BEGIN("inner");
      work(10);
      raise(SIGUSR1);
    }
    ROOFMARK_END("outer");
    ROOFMARK_BEGIN("next");
    work(5);
    ROOFMARK_END("next");
  }
  if (!strcmp(mode, "thread") || !strcmp(mode, "detached")) {
    ROOFMARK_BEGIN("main");
    pthread_t t;
    pthread_create(&t, 0, mode[0] == 't' ? in_thread : detached_thread, 0);
    pthread_join(t, 0);
    ROOFMARK_END("main");
  }
  if (!strcmp(mode, "foreign")) {
    handed_over = roofmark_begin("handed over");
    pthread_t t;
    pthread_create(&t, 0, leaves_foreign, 0);
    pthread_join(t, 0);
    ROOFMARK_BEGIN("next");
    work(5);
    ROOFMARK_END("next");
  }
  if (!strcmp(mode, "threads"))
    for (int i = 0; i < 3000; ++i) {
      pthread_t t;
      pthread_create(&t, 0, empty_thread, 0);
      pthread_join(t, 0);
    }
  if (!strcmp(mode, "names")) {
    static const char raw[] = "quote\" </script> \xff\n\0end";
    roofmark_end(roofmark_begin_bytes(raw, sizeof raw - 1));
  }
  if (!strcmp(mode, "regions")) { /* N names, one visit each, twice */
    const long n = argc > 2 ? atol(argv[2]) : 10;
    char name[32];
    for (int round = 0; round < 2; ++round)
      for (long i = 0; i < n; ++i) {
        snprintf(name, sizeof name, "region %ld", i);
        const roofmark_token t = roofmark_begin(name);
        work(3);
        roofmark_end(t);
      }
    FILE* status = fopen("/proc/self/status", "r");
    for (char line[256]; status && fgets(line, sizeof line, status);)
      if (!strncmp(line, "VmRSS", 5)) fputs(line, stdout);
  }
  if (!strcmp(mode, "declare")) {
    const roofmark_token t = roofmark_begin("outer");
    ROOFMARK_BEGIN("inner");
    roofmark_declare(10.0, 20.0);
    ROOFMARK_END("inner");
    roofmark_declare(1.0, 2.0);
    roofmark_end(t);
  }
  return 0;
}

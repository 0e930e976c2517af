/* What only C does: begin and end by name, in any order; C11 threads. */
#include <pthread.h>
#include <roofmark/roofmark.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <threads.h>
#include <unistd.h>

static void* leave_early(void* unused) {
  ROOFMARK_BEGIN("leaves");
  ROOFMARK_BEGIN("early");
  ROOFMARK_END("early");
  ROOFMARK_BEGIN("early"); /* its second visit needs a histogram */
  pthread_exit(unused);
}
static int by_thrd(void* unused) {
  (void)unused;
  ROOFMARK_BEGIN("by thrd_create");
  ROOFMARK_END("by thrd_create");
  return 0;
}

/* A visit that begins before a fork and ends, in the child, before the runtime's own handler. */
static void enter_around_fork(void) {
  ROOFMARK_BEGIN("fork");
}
static void leave_around_fork(void) {
  ROOFMARK_END("fork");
}
static int visit_around_fork(void) {
  int i, status = 1;
  pid_t child;
  pthread_atfork(enter_around_fork, leave_around_fork, leave_around_fork);
  ROOFMARK_BEGIN("parent");
  for (i = 0; i < 3; ++i) {
    enter_around_fork();
    leave_around_fork();
  }
  child = fork();
  if (child == 0) {
    ROOFMARK_BEGIN("in child");
    ROOFMARK_END("in child");
    _exit(0);
  }
  waitpid(child, &status, 0);
  ROOFMARK_END("parent");
  return status;
}

int main(int argc, char** argv) {
  const char* what = argc > 1 ? argv[1] : "";
  if (strcmp(what, "nested") == 0) {
    int i;
    ROOFMARK_BEGIN("outer");
    for (i = 0; i < 10; ++i) {
      ROOFMARK_BEGIN("inner");
      ROOFMARK_DECLARE(2.0, 24.0);
      ROOFMARK_END("inner");
    }
    ROOFMARK_END("outer");
  } else if (strcmp(what, "mismatched") == 0) {
    ROOFMARK_BEGIN("outer");
    ROOFMARK_BEGIN("forgotten");
    ROOFMARK_BEGIN("deeper");
    ROOFMARK_END("outer"); /* closes all three */
    ROOFMARK_END("never opened");
    ROOFMARK_BEGIN("after");
    ROOFMARK_END("after");
  } else if (strcmp(what, "thread exit") == 0) {
    pthread_t thread;
    ROOFMARK_BEGIN("main");
    if (pthread_create(&thread, NULL, leave_early, NULL) != 0) return 1;
    pthread_join(thread, NULL);
    ROOFMARK_END("main");
  } else if (strcmp(what, "thrd") == 0) {
    thrd_t thread;
    ROOFMARK_BEGIN("main");
    if (thrd_create(&thread, by_thrd, NULL) != thrd_success) return 1;
    thrd_join(thread, NULL);
    ROOFMARK_END("main");
  } else if (strcmp(what, "visit around fork") == 0) {
    return visit_around_fork();
  } else {
    return 2;
  }
  return 0;
}

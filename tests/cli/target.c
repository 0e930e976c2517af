/* A program with regions that does, by its first argument, one of the things a recording must
 * survive. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <roofmark/roofmark.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile double sink;

/* 2 n FLOPs that no compiler can remove or combine. */
static void work(long n) {
  double sum = sink;
  for (long i = 0; i < n; ++i) {
    sum = sum * 0.5 + 1.0;
    __asm__ volatile("" : "+x"(sum));
  }
  sink = sum;
}

static void sleep_ms(long ms) {
  struct timespec rest = {ms / 1000, ms % 1000 * 1000000};
  while (nanosleep(&rest, &rest) != 0 && errno == EINTR) {
  }
}

/* Ends a grandchild inside a region that lasts 60 ms. */
static int lose_a_grandchild(const char* way) {
  ROOFMARK_BEGIN("parent");
  const pid_t child = fork();
  if (child == 0) {
    ROOFMARK_BEGIN("child");
    const pid_t grandchild = fork();
    if (grandchild == 0) {
      ROOFMARK_BEGIN("lost");
      work(7500);
      sleep_ms(60);
      if (strcmp(way, "_exit") == 0) _exit(0);
      if (strcmp(way, "quick_exit") == 0) quick_exit(0);
      if (strcmp(way, "abort") == 0) abort();
      if (strcmp(way, "kill") == 0) kill(getpid(), SIGKILL);
      if (strcmp(way, "exec") == 0) execlp("true", "true", (char*)0);
      _exit(1);
    }
    waitpid(grandchild, 0, 0);
    sleep_ms(60);
    ROOFMARK_END("child");
    exit(0);
  }
  waitpid(child, 0, 0);
  ROOFMARK_END("parent");
  return 0;
}

static void nested(void) {
  ROOFMARK_BEGIN("outer");
  for (int i = 0; i < 3; ++i) {
    ROOFMARK_BEGIN("inner");
    work(100000);
    ROOFMARK_END("inner");
  }
  ROOFMARK_END("outer");
}

/* Three closed visits, then one that stays open; says so, and waits. */
static int stay_open(long ms) {
  nested();
  ROOFMARK_BEGIN("open");
  work(100000);
  puts("ready");
  fflush(stdout);
  sleep_ms(ms);
  ROOFMARK_END("open");
  return 0;
}

static volatile sig_atomic_t caught;
static void note_signal(int number) {
  caught = number;
}

/* Waits for a signal and exits with its number. */
static int wait_for_signal(void) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = note_signal;
  for (int number = 1; number < 20; ++number)
    if (number == SIGINT || number == SIGTERM || number == SIGHUP || number == SIGUSR1)
      sigaction(number, &action, NULL);
  ROOFMARK_BEGIN("waiting");
  puts("ready");
  fflush(stdout);
  for (int i = 0; caught == 0 && i < 2000; ++i) sleep_ms(10);
  ROOFMARK_END("waiting");
  return caught;
}

/* Appends a line to a file and creates another one that must not be there yet. */
/* Visit after visit, with 100 page faults in each, until it is ended. */
static int touch_pages(void) {
  const size_t bytes = 100 * 4096;
  for (;;) {
    ROOFMARK_BEGIN("touching");
    char* const at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED) return 1;
    madvise(at, bytes, MADV_NOHUGEPAGE);
    for (size_t i = 0; i < bytes; i += 4096) *(volatile char*)(at + i) = 1;
    munmap(at, bytes);
    ROOFMARK_END("touching");
    sleep_ms(10);
  }
}

static int write_files(const char* appended, const char* created) {
  ROOFMARK_BEGIN("write");
  FILE* log = fopen(appended, "a");
  if (log == NULL) return 3;
  fprintf(log, "once\n");
  fclose(log);
  int fd = open(created, O_CREAT | O_EXCL | O_WRONLY, 0666);
  if (fd < 0) return 4;
  close(fd);
  ROOFMARK_END("write");
  return 0;
}

/* Copies stdin to stdout, one visit a line. */
static int copy_lines(void) {
  char line[4096];
  while (fgets(line, sizeof line, stdin) != NULL) {
    ROOFMARK_BEGIN("line");
    fputs(line, stdout);
    ROOFMARK_END("line");
  }
  return 0;
}

static void* in_thread(void* unused) {
  (void)unused;
  ROOFMARK_BEGIN("thread");
  work(200000);
  ROOFMARK_END("thread");
  return NULL;
}

static int threads(void) {
  pthread_t all[4];
  ROOFMARK_BEGIN("parallel");
  for (int i = 0; i < 4; ++i) pthread_create(&all[i], NULL, in_thread, NULL);
  for (int i = 0; i < 4; ++i) pthread_join(all[i], NULL);
  ROOFMARK_END("parallel");
  return 0;
}

static int forks(void) {
  ROOFMARK_BEGIN("parent");
  pid_t pid = fork();
  if (pid == 0) {
    ROOFMARK_BEGIN("child");
    work(200000);
    ROOFMARK_END("child");
    _exit(0);
  }
  int status = 0;
  waitpid(pid, &status, 0);
  ROOFMARK_END("parent");
  return WEXITSTATUS(status);
}

/* Which of the three standard descriptors are open, as bits. */
static int standard_descriptors(void) {
  int open_ones = 0;
  for (int fd = 0; fd < 3; ++fd)
    if (fcntl(fd, F_GETFD) >= 0) open_ones |= 1 << fd;
  nested();
  return open_ones;
}

static int many_regions(void) {
  char name[32];
  for (int i = 0; i < 10000; ++i) {
    snprintf(name, sizeof name, "region %d", i);
    roofmark_end(roofmark_begin(name));
  }
  return 0;
}

static int odd_names(void) {
  static const char* const names[] = {"a\"b",     "</script>", "line\nbreak",
                                      "\xff\xfe", "\xc3\xa9",  "a/b"};
  for (unsigned i = 0; i < sizeof names / sizeof *names; ++i) {
    roofmark_token token = roofmark_begin(names[i]);
    work(1000);
    roofmark_end(token);
  }
  return 0;
}

/* Reads 8 MiB four times. */
static int walk(void) {
  enum { bytes = 8 << 20, line = 64, times = 4 };
  static volatile char memory[bytes];
  ROOFMARK_BEGIN("walk");
  for (int i = 0; i < times; ++i)
    for (long at = 0; at < bytes; at += line) (void)memory[at];
  ROOFMARK_END("walk");
  return 0;
}

/* Processes that do so at the same time, for long enough to be seen. */
static int walk_in_processes(int processes) {
  for (int i = 0; i < processes; ++i)
    if (fork() == 0) {
      while (clock() < CLOCKS_PER_SEC / 50) work(1000);
      exit(walk());
    }
  while (wait(NULL) > 0) continue;
  return 0;
}

/* Most of its processor time in one region, which another one comes before. */
static int phases(const char* hottest) {
  ROOFMARK_BEGIN("setup");
  work(1000);
  ROOFMARK_END("setup");
  ROOFMARK_BEGIN("solve");
  const roofmark_token token = roofmark_begin(hottest);
  while (clock() < CLOCKS_PER_SEC / 2) work(10000);
  roofmark_end(token);
  ROOFMARK_END("solve");
  return 0;
}

/* Removes its own file. */
static int remove_itself(const char* file) {
  nested();
  return unlink(file) == 0 ? 0 : 3;
}

/* Goes on below another root. */
static int change_root(const char* root) {
  nested();
  return chroot(root) == 0 && chdir("/") == 0 ? 0 : 3;
}

/* Leaves a process in the background, as daemons do, until the file is removed. */
static int become_daemon(const char* file) {
  int ready[2];
  char byte = 0;
  if (pipe(ready) != 0) return 3;
  nested();
  const pid_t pid = fork();
  if (pid == 0) {
    setsid();
    if (fork() != 0) _exit(0);
    for (int fd = 0; fd < 3; ++fd) close(fd);
    ROOFMARK_BEGIN("background");
    work(100000);
    if (write(ready[1], &byte, 1) != 1) _exit(3);
    while (access(file, F_OK) == 0) sleep_ms(10);
    ROOFMARK_END("background");
    _exit(0);
  }
  waitpid(pid, NULL, 0);
  return read(ready[0], &byte, 1) == 1 ? 0 : 3;
}

int main(int argc, char** argv) {
  const char* what = argc > 1 ? argv[1] : "nested";
  if (strcmp(what, "nested") == 0) return nested(), argc > 2 ? atoi(argv[2]) : 0;
  if (strcmp(what, "limited") == 0) {
    const struct rlimit no_files = {0, 0};
    return setrlimit(RLIMIT_FSIZE, &no_files) != 0 ? 3 : (nested(), 0);
  }
  if (strcmp(what, "lost") == 0 && argc > 2) return lose_a_grandchild(argv[2]);
  if (strcmp(what, "open") == 0) return stay_open(argc > 2 ? atol(argv[2]) : 20000);
  if (strcmp(what, "signal") == 0) return wait_for_signal();
  if (strcmp(what, "touch") == 0) return touch_pages();
  if (strcmp(what, "write") == 0 && argc > 3) return write_files(argv[2], argv[3]);
  if (strcmp(what, "copy") == 0) return copy_lines();
  if (strcmp(what, "phases") == 0) return phases(argc > 2 ? argv[2] : "spmv");
  if (strcmp(what, "walk") == 0) return argc > 2 ? walk_in_processes(atoi(argv[2])) : walk();
  if (strcmp(what, "threads") == 0) return threads();
  if (strcmp(what, "fork") == 0) return forks();
  if (strcmp(what, "descriptors") == 0) return standard_descriptors();
  if (strcmp(what, "many") == 0) return many_regions();
  if (strcmp(what, "names") == 0) return odd_names();
  if (strcmp(what, "count") == 0) return printf("%d\n", argc), 0;
  if (strcmp(what, "exec") == 0) {
    nested();
    ROOFMARK_BEGIN("replaced");
    execl(argv[0], argv[0], "nested", "5", (char*)NULL);
    return 9;
  }
  if (strcmp(what, "unlink") == 0) return remove_itself(argv[0]);
  if (strcmp(what, "chroot") == 0 && argc > 2) return change_root(argv[2]);
  if (strcmp(what, "daemon") == 0 && argc > 2) return become_daemon(argv[2]);
  if (strcmp(what, "abort") == 0) {
    ROOFMARK_BEGIN("crash");
    abort();
  }
  return 2;
}

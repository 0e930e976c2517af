/* A process with known page faults, to be counted while it runs. Two threads wait from the
 * beginning; at every line of input each of them touches `OLD` new pages, and two threads that are
 * born then touch `NEW` each and end. Nothing else faults: a first round has been before "ready",
 * all memory is locked, and the stacks of threads are there beforehand. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PAGE = 4096, OLD = 100, NEW = 50, STACK = 1 << 20, THREADS = 2 };

static pthread_barrier_t barrier;
static char* places[2 * THREADS];
static void* stacks[2 * THREADS];

static char* pages(size_t count) {
  char* const at =
      mmap(NULL, count * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (at == MAP_FAILED) _exit(1);
  madvise(at, count * PAGE, MADV_NOHUGEPAGE);
  return at;
}

static void touch(char* at, size_t count) {
  for (size_t i = 0; i < count; ++i) *(volatile char*)(at + i * PAGE) = 1;
}

static void* old(void* number) {
  for (;;) {
    pthread_barrier_wait(&barrier);
    touch(places[(size_t)number], OLD);
    pthread_barrier_wait(&barrier);
  }
  return NULL;
}

static void* born(void* number) {
  touch(places[(size_t)number], NEW);
  return NULL;
}

static void start(pthread_t* thread, void* (*work)(void*), size_t number) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstack(&attributes, stacks[number], STACK);
  if (pthread_create(thread, &attributes, work, (void*)number) != 0) _exit(1);
}

static void round_of_all(void) {
  pthread_t young[THREADS];
  for (size_t i = 0; i < THREADS; ++i) {
    places[i] = pages(OLD);
    places[THREADS + i] = pages(NEW);
  }
  pthread_barrier_wait(&barrier);
  for (size_t i = 0; i < THREADS; ++i) start(&young[i], born, THREADS + i);
  for (size_t i = 0; i < THREADS; ++i) pthread_join(young[i], NULL);
  pthread_barrier_wait(&barrier);
}

int main(void) {
  pthread_t waiting;
  char order = 0;
  pthread_barrier_init(&barrier, NULL, THREADS + 1);
  for (size_t i = 0; i < 2 * THREADS; ++i) {
    stacks[i] = mmap(NULL, STACK, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    if (stacks[i] == MAP_FAILED) return 1;
  }
  for (size_t i = 0; i < THREADS; ++i) start(&waiting, old, i);
  round_of_all();
  mlockall(MCL_CURRENT);
  round_of_all();
  if (write(1, "ready\n", 6) != 6) return 1;
  while (read(0, &order, 1) == 1) {
    if (order != '\n') continue;
    round_of_all();
    if (write(1, "done\n", 5) != 5) return 1;
  }
  _exit(0);
}

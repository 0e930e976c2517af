/* Compiled with -finstrument-functions: recursion, functions of a file, threads and a library. */
#include <pthread.h>
#include <stdio.h>

#include "work.h"

void function_of_library(int n);
void descend(int depth);

static void leaf(int n) {
  work(n);
}

void descend(int depth) {
  leaf(10);
  if (depth > 1) descend(depth - 1);
}

static void* in_thread(void* unused) {
  leaf(100);
  return unused;
}

int main(void) {
  for (int i = 0; i < 3; ++i) leaf(100);
  descend(3);
  function_of_library(10);
  pthread_t thread;
  pthread_create(&thread, NULL, in_thread, NULL);
  pthread_join(thread, NULL);
  printf("ran\n");
  return 0;
}

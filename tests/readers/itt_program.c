/* The program's side of ITT: pointers that a collector fills. Written after the documented
 * protocol: at the first use the library that INTEL_LIBITTNOTIFY64 names is loaded and its
 * __itt_api_init gets our list of functions. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "work.h"

typedef struct domain {
  volatile int flags;
  const char* nameA;
  void* nameW;
  int extra1;
  void* extra2;
  struct domain* next;
} domain;
typedef struct string_handle {
  const char* strA;
  void* strW;
  int extra1;
  void* extra2;
  struct string_handle* next;
} string_handle;
typedef struct {
  unsigned long long d1, d2, d3;
} id;

typedef struct {
  const char* name;
  void** func_ptr;
  void *init_func, *null_func;
  int group;
} api_info;
typedef struct {
  unsigned char magic[8];
  unsigned long version_major, version_minor, version_build;
  volatile long api_initialized, mutex_initialized, atomic_counter;
  pthread_mutex_t mutex;
  void *lib, *error_handler;
  const char** dll_path_ptr;
  api_info* api_list_ptr;
  void *next, *thread_list, *domain_list, *string_list;
} api_global;

static void (*task_begin)(const domain*, id, id, string_handle*);
static void (*task_begin_fn)(const domain*, id, id, void*);
static void (*task_end)(const domain*);
static void (*task_begin_overlapped)(const domain*, id, id, string_handle*);
static void (*task_end_overlapped)(const domain*, id);
static void (*frame_begin)(const domain*, id*);
static void (*frame_end)(const domain*, id*);
static int (*event_create)(const char*, int);
static int (*event_start)(int);
static int (*event_end)(int);
static void (*untouched)(void);

static void do_nothing(void) {}

static api_info functions[] = {
    {"__itt_task_begin", (void**)&task_begin, NULL, NULL, 1},
    {"__itt_task_begin_fn", (void**)&task_begin_fn, NULL, NULL, 1},
    {"__itt_task_end", (void**)&task_end, NULL, NULL, 1},
    {"__itt_task_begin_overlapped", (void**)&task_begin_overlapped, NULL, NULL, 1},
    {"__itt_task_end_overlapped", (void**)&task_end_overlapped, NULL, NULL, 1},
    {"__itt_frame_begin_v3", (void**)&frame_begin, NULL, NULL, 1},
    {"__itt_frame_end_v3", (void**)&frame_end, NULL, NULL, 1},
    {"__itt_event_create", (void**)&event_create, NULL, NULL, 1},
    {"__itt_event_start", (void**)&event_start, NULL, NULL, 1},
    {"__itt_event_end", (void**)&event_end, NULL, NULL, 1},
    {"__itt_something_new", (void**)&untouched, NULL, (void*)do_nothing, 1},
    {NULL, NULL, NULL, NULL, 0},
};
static api_global global = {.magic = {0xED, 0xAB, 0xAB, 0xEC, 0x0D, 0xEE, 0xDA, 0x30},
                            .version_major = 3,
                            .version_build = 20180723,
                            .mutex = PTHREAD_MUTEX_INITIALIZER,
                            .api_list_ptr = functions};

static const id none;

static void* in_thread(void* of) {
  string_handle name = {"worker", NULL, 0, NULL, NULL};
  if (task_begin != NULL) {
    task_begin(of, none, none, &name);
    work(100);
    task_end(of);
  }
  return NULL;
}

int main(void) {
  const char* const path = getenv("INTEL_LIBITTNOTIFY64");
  void* const collector = path != NULL ? dlopen(path, RTLD_LAZY) : NULL;
  if (collector != NULL) {
    void (*initialise)(api_global*, int);
    *(void**)&initialise = dlsym(collector, "__itt_api_init");
    global.lib = collector;
    if (initialise != NULL) initialise(&global, 0xffff);
  }
  domain of = {1, "Solver domain", NULL, 0, NULL, NULL}, off = {0, "off", NULL, 0, NULL, NULL},
         nameless = {1, NULL, NULL, 0, NULL, NULL};
  string_handle outer = {"assemble \xc3\xa4", NULL, 0, NULL, NULL},
                inner = {"element", NULL, 0, NULL, NULL};
  if (task_begin == NULL) {
    printf("not collected\n");
    return 0;
  }
  frame_begin(&of, NULL);
  task_begin(&of, none, none, &outer);
  for (int i = 0; i < 3; ++i) {
    task_begin(&of, none, none, &inner);
    work(100);
    task_end(&of);
  }
  task_begin(&off, none, none, &inner); /* its domain is switched off */
  task_end(&off);
  task_end(&of);
  frame_end(&of, NULL);

  const id first = {1, 2, 3}, second = {4, 5, 6};
  task_begin_overlapped(&of, first, none, &outer);
  task_begin_overlapped(&of, second, none, &inner);
  task_end_overlapped(&of, second);
  task_end_overlapped(&of, first);
  task_begin(&of, none, none, NULL); /* without a name */
  task_begin(&nameless, none, none, NULL);
  task_end(&nameless);
  task_begin_fn(&of, none, none, (void*)0x1234);
  task_end(&of);
  task_end(&of);

  const int event = event_create("event of old", 12);
  event_start(event);
  work(10);
  event_end(event);

  pthread_t thread;
  pthread_create(&thread, NULL, in_thread, &of);
  pthread_join(thread, NULL);
  printf("collected, %s\n", untouched == do_nothing ? "the rest is as without" : "what is this?");
  return 0;
}

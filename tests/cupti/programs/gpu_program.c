/* A program that uses the driver as its arguments say, one after the other. Declared by hand, so
   that it is built without CUDA; linked with the fake driver. See README.md. */
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <roofmark/roofmark.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

typedef struct Context Context;
typedef struct Graph Graph;
int cuInit(unsigned);
int cuDeviceGet(int*, int);
int cuCtxCreate_v2(Context**, unsigned, int);
int cuCtxSetCurrent(Context*);
int cuCtxDestroy_v2(Context*);
int cuCtxSynchronize(void);
int cuLaunchKernel(const char*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                   unsigned, uintptr_t, void**, void**);
int cuStreamBeginCapture_v2(uintptr_t, int);
int cuStreamEndCapture(uintptr_t, Graph**);
int cuGraphLaunch(Graph*, uintptr_t);
int cuMemcpyHtoD_v2(uint64_t, const void*, size_t);
int cuMemcpyDtoH_v2(void*, uint64_t, size_t);
int cuMemcpyDtoDAsync_v2(uint64_t, uint64_t, size_t, uintptr_t);
int cuMemcpyPeerAsync(uint64_t, Context*, uint64_t, Context*, size_t, uintptr_t);
int cuMemsetD8_v2(uint64_t, unsigned char, size_t);

static Context* contexts[16];
static Context* context;

static void check(int error, const char* what) {
  if (error == 0) return;
  printf("%s: error %d\n", what, error);
  fflush(stdout);
}

static int initialized;
static void use_device(int device) {
  int found = 0;
  if (!initialized) check(cuInit(0), "cuInit");
  initialized = 1;
  if (contexts[device] == NULL) {
    check(cuDeviceGet(&found, device), "cuDeviceGet");
    check(cuCtxCreate_v2(&contexts[device], 0, found), "cuCtxCreate");
  }
  context = contexts[device];
  cuCtxSetCurrent(context);
}

/* "NAME*COUNT@STREAM" */
struct Launches {
  char name[4096];
  long count;
  uintptr_t stream;
};
static struct Launches launches_of(const char* text) {
  struct Launches l = {"", 1, 0};
  size_t length = strcspn(text, "*@");
  memcpy(l.name, text, length);
  l.name[length] = '\0';
  const char* star = strchr(text, '*');
  const char* at = strchr(text, '@');
  if (star != NULL) l.count = atol(star + 1);
  if (at != NULL) l.stream = (uintptr_t)atol(at + 1);
  return l;
}
static void launch(const struct Launches* l) {
  for (long i = 0; i < l->count; ++i)
    check(cuLaunchKernel(l->name, 64, 1, 1, 256, 1, 1, 0, l->stream, NULL, NULL), "cuLaunchKernel");
}
/* "NAME%COUNT": as many kernels, each of another name. */
static void launch_distinct(const char* text) {
  const char* percent = strchr(text, '%');
  long count = atol(percent + 1);
  for (long i = 0; i < count; ++i) {
    struct Launches l = {"", 1, 0};
    snprintf(l.name, sizeof l.name, "%.*s%ld", (int)(percent - text), text, i);
    launch(&l);
  }
}

struct Work {
  const char* text;
  Context* context;
  const char* region;
};
static void* in_thread(void* argument) {
  struct Work* work = argument;
  struct Launches l = launches_of(work->text);
  cuCtxSetCurrent(work->context);
  roofmark_token token = roofmark_begin("worker");
  launch(&l);
  roofmark_end(token);
  return NULL;
}
static void thread_launches(const char* text) {
  struct Work work = {text, context, NULL};
  pthread_t thread;
  pthread_create(&thread, NULL, in_thread, &work);
  pthread_join(thread, NULL);
}
static void* launch_blindly(void* argument) {
  struct Launches l = launches_of(argument);
  cuCtxSetCurrent(context);
  launch(&l);
  cuCtxSynchronize();
  return NULL;
}

/* What a static object's destructor may do. */
static const char* at_end_text;
static void launch_at_end(void) {
  roofmark_token token = roofmark_begin("at_end");
  struct Launches l = launches_of(at_end_text);
  launch(&l);
  roofmark_end(token);
}

/* A disk that hangs: the plug-in's next file is a pipe that nobody reads. Comes back once it is
   open there, which is in the middle of writing it. */
static void hang_results(const char* directory) {
  char path[4096];
  snprintf(path, sizeof path, "%s/gpu-%ld-0.jsonl.new", directory, (long)getpid());
  check(mkfifo(path, 0600), "mkfifo");
  check(open(path, O_RDONLY) < 0, "open");
}

/* The plug-in's own allocations fail, or do so no more: no_memory.c. */
static void starve(const char* function) {
  void (*begin)(void) = (void (*)(void))(uintptr_t)dlsym(RTLD_DEFAULT, function);
  if (begin == NULL) check(1, "no_memory");
  if (begin != NULL) begin();
}

static void graph(const char* text) {
  struct Launches l = launches_of(text);
  Graph* made = NULL;
  cuStreamBeginCapture_v2(l.stream, 0);
  launch(&l);
  cuStreamEndCapture(l.stream, &made);
  check(cuGraphLaunch(made, l.stream), "cuGraphLaunch");
}

static void copy(const char* text) {
  static char host[1];
  size_t bytes = (size_t)atol(strchr(text, ':') + 1);
  if (strncmp(text, "HtoD", 4) == 0) cuMemcpyHtoD_v2(0, host, bytes);
  if (strncmp(text, "DtoH", 4) == 0) cuMemcpyDtoH_v2(host, 0, bytes);
  if (strncmp(text, "DtoD", 4) == 0) cuMemcpyDtoDAsync_v2(0, 0, bytes, 0);
  if (strncmp(text, "PtoP", 4) == 0)
    cuMemcpyPeerAsync(0, contexts[context == contexts[0]], 0, context, bytes, 0);
  if (strncmp(text, "set", 3) == 0) cuMemsetD8_v2(0, 0, bytes);
}

static void fork_child(const char* how, char** rest) {
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    struct Launches l = launches_of("in_child*2");
    launch(&l); /* refused by the driver */
    if (strcmp(how, "exec") == 0) execv("/proc/self/exe", rest);
    if (strcmp(how, "_exit") == 0) _exit(3);
    exit(3);
  }
  int status = 0;
  waitpid(child, &status, 0);
  printf("child %d\n", WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status));
}

static void sleep_ms(long ms) {
  struct timespec time = {ms / 1000, ms % 1000 * 1000000};
  nanosleep(&time, NULL);
}

int main(int count, char** arguments) {
  roofmark_token open[64];
  int depth = 0;
  for (int i = 1; i < count; ++i) {
    const char* word = arguments[i];
    const char* equals = strchr(word, '=');
    const char* value = equals == NULL ? "" : equals + 1;
    size_t length = equals == NULL ? strlen(word) : (size_t)(equals - word);
#define IS(name) (length == sizeof(name) - 1 && memcmp(word, name, length) == 0)
    if (IS("device")) use_device(atoi(value));
    if (IS("launch")) {
      struct Launches l = launches_of(value);
      launch(&l);
    }
    if (IS("distinct")) launch_distinct(value);
    if (IS("thread")) thread_launches(value);
    if (IS("background")) {
      pthread_t thread;
      pthread_create(&thread, NULL, launch_blindly, (void*)value);
      pthread_detach(thread);
    }
    if (IS("graph")) graph(value);
    if (IS("copy")) copy(value);
    if (IS("at_end")) {
      at_end_text = value;
      atexit(launch_at_end);
    }
    if (IS("hang_results")) hang_results(value);
    if (IS("starve")) starve("fake_no_memory");
    if (IS("feed")) starve("fake_enough_memory");
    if (IS("sync")) cuCtxSynchronize();
    if (IS("destroy")) cuCtxDestroy_v2(context);
    if (IS("enter")) open[depth++] = roofmark_begin(value);
    if (IS("leave")) roofmark_end(open[--depth]);
    if (IS("fork")) {
      static char* rest[] = {"again", "device=0", "launch=after_exec*2", "exit=3", NULL};
      fork_child(value, rest);
    }
    if (IS("sleep")) sleep_ms(atol(value));
    if (IS("print")) puts(value);
    if (IS("exit")) exit(atoi(value));
    if (IS("_exit")) {
      fflush(stdout);
      _exit(atoi(value));
    }
    if (IS("quick_exit")) quick_exit(atoi(value));
    if (IS("kill")) raise(SIGKILL);
  }
  return 0;
}

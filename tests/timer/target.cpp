// Programs that timers must not disturb. What each finds wrong is its exit status.
//   timer_target handler   takes SIGPROF for itself
//   timer_target signal    the same by signal()
//   timer_target ignore    ignores SIGPROF, and is sent one
//   timer_target raise     sends itself a SIGPROF that it does not handle
//   timer_target itimer    sets ITIMER_PROF and does not handle it
//   timer_target blocked   works in a thread that blocks all signals
//   timer_target stack     works on a stack with no room for a signal's frame
//   timer_target fork      works in a child, and in a child's child
//   timer_target threads   works in 40 threads, one after the other
//   timer_target wait      waits in calls that no signal may end, working in between
//   timer_target loaded    works in a library that it loads
#include <dlfcn.h>
#include <poll.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <functional>
#include <map>
#include <string>

namespace {

volatile double sink = 0;
volatile int from_timers = 0;

}  // namespace

namespace timed {

__attribute__((noinline)) void work(long steps) {
  double x = sink;
  for (long i = 0; i < steps; ++i) {
    x = x * 0.999;
    x = x + 0.001;
  }
  sink = x;
}

}  // namespace timed

namespace {

constexpr long enough = 400'000'000;  // half a second

void on_prof(int, siginfo_t* info, void*) {
  if (info->si_code == SI_TIMER) from_timers = from_timers + 1;
}

/// Before and after it took the signal for itself.
int handler() {
  timed::work(enough / 4);
  struct sigaction before {};
  if (sigaction(SIGPROF, nullptr, &before) != 0 || before.sa_handler != SIG_DFL) return 2;
  struct sigaction mine {};
  mine.sa_sigaction = on_prof;
  mine.sa_flags = SA_SIGINFO;
  if (sigaction(SIGPROF, &mine, &before) != 0 || before.sa_handler != SIG_DFL) return 3;
  timed::work(enough);
  if (sigaction(SIGPROF, nullptr, &before) != 0 || before.sa_sigaction != on_prof) return 4;
  return from_timers == 0 ? 0 : 5;
}

int by_signal() {
  const auto count = [](int) { from_timers = from_timers + 1; };
  if (std::signal(SIGPROF, SIG_DFL) != SIG_DFL) return 2;
  if (std::signal(SIGPROF, count) != SIG_DFL) return 3;
  timed::work(enough);
  if (from_timers != 0) return 4;
  raise(SIGPROF);
  return from_timers == 1 ? 0 : 5;
}

int ignore() {
  if (std::signal(SIGPROF, SIG_IGN) != SIG_DFL) return 2;
  raise(SIGPROF);
  timed::work(enough);
  return 0;
}

int raise_it() {
  timed::work(enough);
  raise(SIGPROF);
  return 2;
}

int itimer() {
  const itimerval soon{{0, 0}, {0, 50'000}};
  setitimer(ITIMER_PROF, &soon, nullptr);
  timed::work(20 * enough);
  return 2;
}

void* work_in_thread(void*) {
  timed::work(enough);
  return nullptr;
}

// Of this thread: a tick of the main thread's own timer, from before it blocked signals, may wait.
bool is_pending = false;
void* work_and_look(void*) {
  timed::work(enough);
  sigset_t waiting;
  sigpending(&waiting);
  is_pending = sigismember(&waiting, SIGPROF) != 0;
  return nullptr;
}

int blocked() {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, nullptr);
  pthread_t thread;
  if (pthread_create(&thread, nullptr, work_and_look, nullptr) != 0) return 2;
  pthread_join(thread, nullptr);
  return is_pending ? 3 : 0;
}

ucontext_t main_context, small_context;

void on_small_stack() {
  timed::work(enough);
}

int stack() {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  constexpr std::size_t room = 1536;
  auto* const pages = static_cast<char*>(
      mmap(nullptr, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  if (pages == MAP_FAILED || mprotect(pages, page, PROT_NONE) != 0) return 2;
  getcontext(&small_context);
  small_context.uc_stack.ss_sp = pages + page;
  small_context.uc_stack.ss_size = room;
  small_context.uc_link = &main_context;
  makecontext(&small_context, on_small_stack, 0);
  return swapcontext(&main_context, &small_context) == 0 ? 0 : 3;
}

int wait_for(pid_t child) {
  int status = 0;
  if (waitpid(child, &status, 0) != child) return 9;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 8;
}

int forks() {
  const pid_t child = fork();
  if (child == 0) {
    timed::work(enough);
    const pid_t grandchild = fork();
    if (grandchild == 0) {
      timed::work(enough);
      _exit(0);
    }
    _exit(wait_for(grandchild));
  }
  return wait_for(child);
}

int threads() {
  for (int i = 0; i < 40; ++i) {
    pthread_t thread;
    const auto some = [](void*) -> void* {
      timed::work(enough / 20);
      stack_t there{};
      sigaltstack(nullptr, &there);
      return nullptr;
    };
    if (pthread_create(&thread, nullptr, some, nullptr) != 0) return 2;
    pthread_join(thread, nullptr);
  }
  return 0;
}

int waits() {
  int ends[2];
  if (pipe(ends) != 0) return 2;
  for (int i = 0; i < 200; ++i) {
    timed::work(enough / 400);
    // Restarted where a signal comes.
    const pid_t child = fork();
    if (child == 0) {
      usleep(2000);
      _exit(write(ends[1], "x", 1) == 1 ? 0 : 1);
    }
    char got = 0;
    if (read(ends[0], &got, 1) != 1) return 3;
    if (wait_for(child) != 0) return 4;
  }
  return 0;
}

int loaded(const std::string& library) {
  void* const handle = dlopen(library.c_str(), RTLD_NOW);
  if (handle == nullptr) return 2;
  auto* const work = reinterpret_cast<double (*)(double, long)>(dlsym(handle, "work_in_library"));
  if (work == nullptr) return 3;
  sink = work(sink, 2 * enough);
  _exit(0);
}

}  // namespace

int main(int count, char** words) {
  const std::map<std::string, std::function<int()>> modes = {
      {"handler", handler},
      {"signal", by_signal},
      {"ignore", ignore},
      {"raise", raise_it},
      {"itimer", itimer},
      {"blocked", blocked},
      {"stack", stack},
      {"fork", forks},
      {"threads", threads},
      {"wait", waits},
      {"loaded", [&] { return loaded(words[2]); }}};
  const auto mode = modes.find(count > 1 ? words[1] : "");
  return mode == modes.end() ? 1 : mode->second();
}

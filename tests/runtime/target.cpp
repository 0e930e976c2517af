#include "target.hpp"

#include <dlfcn.h>
#include <signal.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <roofmark/roofmark.hpp>
#include <stdexcept>

namespace {

int nested() {
  ROOFMARK_SCOPE_AS(solve, "solve");
  for (int i = 0; i < 10; ++i) {
    ROOFMARK_SCOPE("spmv");
    roofmark::declare(roofmark::Flop{2.0}, roofmark::Bytes{12.0});
  }
  solve.declare(roofmark::Flop{5.0});
  return 0;
}

int thrower(int depth) {
  ROOFMARK_FUNCTION();
  if (depth == 0) throw std::runtime_error("out");
  return thrower(depth - 1);
}
int exceptions() {
  ROOFMARK_SCOPE("outer");
  for (int i = 0; i < 5; ++i) try {
      thrower(2);
    } catch (const std::runtime_error&) {
      ROOFMARK_SCOPE("caught");
    }
  return 0;
}

// Prints what the system's clock says of the same time, taken just outside the region.
int sleeps() {
  const auto now_s = [] {
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC_RAW, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
  };
  const double before_s = now_s();
  {
    ROOFMARK_SCOPE("sleep");
    usleep(100000);
  }
  std::printf("%.9f\n", now_s() - before_s);
  return 0;
}

int odd_names() {
  const std::string names[] = {"\"quoted\"",
                               "line\nbreak",
                               "</script>",
                               "\xff\xfe\x80",
                               "",
                               std::string("nul\0inside", 10),
                               std::string(4096, 'x'),
                               std::string(4097, 'y'),
                               "a/b"};
  for (const auto& name : names) {
    roofmark::Scope scope{name};
    ROOFMARK_SCOPE("below");
  }
  return 0;
}

int many_names() {
  for (int round = 0; round < 2; ++round)
    for (int i = 0; i < 100000; ++i) roofmark::Scope scope{"name " + std::to_string(i)};
  return 0;
}

volatile sig_atomic_t handled = 0;
void handler(int) {
  ROOFMARK_SCOPE("handler");
  {
    // A name of its own each time: the long path, too, is entered from handlers.
    char name[] = "new 0";
    name[4] = static_cast<char>('0' + handled % 10);
    roofmark::Scope scope(name);
  }
  handled = handled + 1;
}
int signals() {
  struct sigaction action = {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  sigaction(SIGALRM, &action, nullptr);
  itimerval timer = {{0, 100}, {0, 100}};
  setitimer(ITIMER_REAL, &timer, nullptr);
  for (long i = 0; handled < 1000; ++i) {
    ROOFMARK_SCOPE("loop");
    ROOFMARK_SCOPE("body");
    if (i % 64 == 0) roofmark::Scope scope{"name " + std::to_string(i / 64 % 5000)};
  }
  timer = {};
  setitimer(ITIMER_REAL, &timer, nullptr);
  std::printf("%d\n", static_cast<int>(handled));
  return 0;
}

// A coroutine's scope ends after that of the caller it was suspended in.
int out_of_order() {
  auto outer = std::make_unique<roofmark::Scope>("outer");
  auto inner = std::make_unique<roofmark::Scope>("inner");
  outer.reset();
  { ROOFMARK_SCOPE("after"); }
  inner.reset();
  ROOFMARK_SCOPE("last");
  return 0;
}

int plugin() {
  ROOFMARK_SCOPE("host");
  const std::string path = std::string(getenv("RUNTIME_TARGETS")) + "/libruntime_plugin.so";
  for (int round = 0; round < 3; ++round) {
    void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
      std::fprintf(stderr, "%s\n", dlerror());
      return 1;
    }
    auto* work = reinterpret_cast<int (*)(int)>(dlsym(library, "plugin_work"));
    if (work == nullptr || work(4) != 0) return 1;
    dlclose(library);
    if (dlopen(path.c_str(), RTLD_NOW | RTLD_NOLOAD) != nullptr) return 3;  // not unloaded
  }
  return 0;
}

// Without a preloaded runtime: there is none, until one is loaded and asked for.
int attach() {
  { ROOFMARK_SCOPE("before"); }
  if (roofmark::attach()) return 1;
  if (dlopen(getenv("RUNTIME_LIBRARY"), RTLD_NOW | RTLD_GLOBAL) == nullptr) return 1;
  { ROOFMARK_SCOPE("still none"); }
  if (!roofmark::attach()) return 1;
  ROOFMARK_SCOPE("after");
  return 0;
}

Scenarios own_scenarios() {
  return {{"nested", nested},
          {"exceptions", exceptions},
          {"sleeps", sleeps},
          {"odd names", odd_names},
          {"many names", many_names},
          {"signals", signals},
          {"out of order", out_of_order},
          {"plugin", plugin},
          {"attach", attach}};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  for (const auto& scenarios :
       {own_scenarios(), thread_scenarios(), process_scenarios(), counted_scenarios()})
    for (const auto& [name, run] : scenarios)
      if (name == argv[1]) return run();
  return 2;
}

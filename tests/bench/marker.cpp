// What a marker costs, against a bare pair of the same clock reads: medians of short windows, all
// cases in turn in one run, so that a change of clock or a busy neighbour meets them alike.
//   marker_bench PATH_OF_RUNTIME
// Ends with 1 when a bound of the project is missed: inactive <= 2 ns, active <= 1.15 of the pair.
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <roofmark/roofmark.hpp>
#include <string>
#include <thread>
#include <vector>

#include "timing.hpp"

#if defined(__x86_64__)
#include <x86intrin.h>
static std::uint64_t ticks() {
  return __rdtsc();
}
#elif defined(__aarch64__)
static std::uint64_t ticks() {
  std::uint64_t count;
  __asm__ volatile("mrs %0, cntvct_el0" : "=r"(count));
  return count;
}
#endif

namespace {

using roofmark::bench::median;
using roofmark::bench::now_ns;

constexpr int loops = 1024;  // scopes in a window, about 20 microseconds

__attribute__((noinline)) void bare_pair() {
  for (int i = 0; i < loops; ++i) {
    const std::uint64_t entry = ticks();
    __asm__ volatile("" ::"r"(entry) : "memory");
    const std::uint64_t exit = ticks();
    __asm__ volatile("" ::"r"(exit) : "memory");
  }
}

__attribute__((noinline)) void empty_loop() {
  for (int i = 0; i < loops; ++i) __asm__ volatile("" ::: "memory");
}

__attribute__((noinline)) void one_scope() {
  for (int i = 0; i < loops; ++i) {
    ROOFMARK_SCOPE("one");
    __asm__ volatile("" ::: "memory");
  }
}

#define SIBLING(name)                  \
  {                                    \
    ROOFMARK_SCOPE(name);              \
    __asm__ volatile("" ::: "memory"); \
  }
#define SIBLINGS(p) \
  SIBLING(p "0")    \
  SIBLING(p "1")    \
  SIBLING(p "2") SIBLING(p "3") SIBLING(p "4") SIBLING(p "5") SIBLING(p "6") SIBLING(p "7")

__attribute__((noinline)) void siblings_32() {
  for (int i = 0; i < loops / 32; ++i) {
    SIBLINGS("a") SIBLINGS("b") SIBLINGS("c") SIBLINGS("d")
  }
}

__attribute__((noinline)) void depth_8() {
  for (int i = 0; i < loops / 8; ++i) {
    ROOFMARK_SCOPE_AS(s1, "1");
    ROOFMARK_SCOPE_AS(s2, "2");
    ROOFMARK_SCOPE_AS(s3, "3");
    ROOFMARK_SCOPE_AS(s4, "4");
    ROOFMARK_SCOPE_AS(s5, "5");
    ROOFMARK_SCOPE_AS(s6, "6");
    ROOFMARK_SCOPE_AS(s7, "7");
    ROOFMARK_SCOPE_AS(s8, "8");
    __asm__ volatile("" ::: "memory");
  }
}

__attribute__((noinline)) void named_scope() {
  static const std::string name = "a name known at run time";
  for (int i = 0; i < loops; ++i) {
    roofmark::Scope scope(name);
    __asm__ volatile("" ::: "memory");
  }
}

struct Case {
  const char* name;
  void (*run)();
  bool bounded;
  std::vector<double> ns = {};
};

double window(void (*run)()) {
  const double before = now_ns();
  run();
  return (now_ns() - before) / loops;
}

std::vector<Case> cases() {
  return {{"bare pair of clock reads", bare_pair, false},
          {"one scope", one_scope, true},
          {"32 siblings", siblings_32, true},
          {"depth 8", depth_8, true},
          {"name known at run time", named_scope, false}};
}

void measure(std::vector<Case>& all, int rounds) {
  for (auto& each : all) each.run();
  for (int round = 0; round < rounds; ++round)
    for (auto& each : all) each.ns.push_back(window(each.run));
}

bool print(const std::vector<Case>& all, int threads) {
  bool good = true;
  const double bare = median(all[0].ns);
  for (const auto& each : all) {
    const double ns = median(each.ns), ratio = ns / bare;
    const bool missed = each.bounded && ratio > 1.15;
    std::printf("%d thread%s  %-26s %7.2f ns  %6.3f x%s\n", threads, threads == 1 ? " " : "s",
                each.name, ns, ratio, missed ? "  MISSED 1.15" : "");
    if (each.bounded)
      std::printf("RATIO marker over bare clock reads, %s, %d thread%s | %.3f | <= 1.15\n",
                  each.name, threads, threads == 1 ? "" : "s", ratio);
    good = good && !missed;
  }
  return good;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  constexpr int rounds = 4000;
  bool good = true;

  std::vector<double> empty, inactive;
  for (int round = 0; round < rounds; ++round) {
    empty.push_back(window(empty_loop));
    inactive.push_back(window(one_scope));
  }
  const double cost = median(inactive) - median(empty);
  good = cost <= 2.0;
  std::printf("inactive   one scope                  %7.2f ns%s\n", cost,
              good ? "" : "  MISSED 2 ns");
  std::printf("RATIO inactive marker, ns | %.2f | <= 2\n", cost);

  const auto directory = std::filesystem::temp_directory_path() /
                         ("roofmark-marker-bench-" + std::to_string(getpid()));
  std::filesystem::create_directories(directory);
  setenv("ROOFMARK_RECORDING", directory.c_str(), 1);
  if (dlopen(argv[1], RTLD_NOW | RTLD_GLOBAL) == nullptr) {
    std::fprintf(stderr, "%s\n", dlerror());
    return 2;
  }
  if (!roofmark::attach()) {
    std::fprintf(stderr, "the runtime does not record\n");
    return 2;
  }

  auto alone = cases();
  measure(alone, rounds);
  good = print(alone, 1) && good;

  std::vector<std::vector<Case>> both(2, cases());
  std::atomic<int> ready{0};
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < 2; ++i)
    threads.emplace_back([&, i] {
      cpu_set_t cpus;
      CPU_ZERO(&cpus);
      CPU_SET(i, &cpus);
      pthread_setaffinity_np(pthread_self(), sizeof cpus, &cpus);
      ++ready;
      while (ready < 2) {
      }
      measure(both[i], rounds);
    });
  for (auto& thread : threads) thread.join();
  for (std::size_t i = 0; i < both[0].size(); ++i)
    both[0][i].ns.insert(both[0][i].ns.end(), both[1][i].ns.begin(), both[1][i].ns.end());
  good = print(both[0], 2) && good;
  std::filesystem::remove_all(directory);
  return good ? 0 : 1;
}

// Exact counts through the unit that counts in the target, on events that need no PMU.
#include <sched.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <fstream>
#include <thread>
#include <vector>

#include "perf_support.hpp"

using namespace perf_test;

namespace {

void work(unsigned times) {
  for (unsigned i = 0; i < times; ++i) {
    watched[0] = i;
    if (i % 2 == 0) watched[1] = i;
    if (i % 4 == 0) watched_function();
  }
}

FlatPlan three_breakpoints() {
  return plan_of({writes_to(watched[0]), writes_to(watched[1]), executions_of(watched_function)});
}

/// Private pages without memory behind them, so that each first touch is one fault.
struct FreshPages {
  std::size_t bytes;
  char* memory;
  explicit FreshPages(std::size_t count)
      : bytes(count * static_cast<std::size_t>(sysconf(_SC_PAGESIZE))),
        memory(static_cast<char*>(
            mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))) {
    REQUIRE(memory != MAP_FAILED);
    madvise(memory, bytes, MADV_NOHUGEPAGE);
    // A sanitizer's own memory for these pages is there before anything is counted.
    touch();
    madvise(memory, bytes, MADV_DONTNEED);
  }
  ~FreshPages() { munmap(memory, bytes); }
  void touch() const {
    const auto step = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    for (std::size_t at = 0; at < bytes; at += step) static_cast<volatile char*>(memory)[at] = 1;
  }
};

/// To one of the CPUs that this thread may use; -1 where there is no such one.
int pin_to_nth(unsigned n) {
  static const cpu_set_t allowed = [] {
    cpu_set_t set;
    sched_getaffinity(0, sizeof set, &set);
    return set;
  }();
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (!CPU_ISSET(cpu, &allowed)) continue;
    if (n-- != 0) continue;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    return sched_setaffinity(0, sizeof one, &one) == 0 ? cpu : -1;
  }
  return -1;
}

}  // namespace

TEST_CASE("a group of breakpoints counts 1000, 500 and 250") {
  if (!counts_here(three_breakpoints())) return;
  const Opened opened(three_breakpoints());
  REQUIRE_FALSE(opened.refusal);
  const Reading before = opened.read();
  work(1000);
  const Difference first = difference(before, opened.read());
  REQUIRE(first.count == 3);
  CHECK(first.ran == Ran::whole);
  CHECK(first.values[0] == 1000);
  CHECK(first.values[1] == 500);
  CHECK(first.values[2] == 250);
  // It is never stopped: what happens between two regions is in neither of them.
  work(100);
  const Reading again = opened.read();
  const Difference nothing = difference(again, opened.read());
  CHECK(nothing.values[0] == 0);
  work(8);
  CHECK(difference(again, opened.read()).values[2] == 2);
}

TEST_CASE("64 touched pages are 64 page faults") {
  const FlatPlan plan =
      plan_of({software(PERF_COUNT_SW_PAGE_FAULTS), software(PERF_COUNT_SW_PAGE_FAULTS_MIN)});
  if (!counts_here(plan)) return;
  const Opened opened(plan);
  const FreshPages pages(64);
  opened.read();  // the unit's own pages are there
  const Reading before = opened.read();
  pages.touch();
  const Difference faults = difference(before, opened.read());
  CHECK(faults.values[0] == 64);
  CHECK(faults.values[1] == 64);
  const Reading later = opened.read();
  pages.touch();
  CHECK(difference(later, opened.read()).values[0] == 0);
}

TEST_CASE("the task clock counts the thread's own time") {
  const FlatPlan plan = plan_of({software(PERF_COUNT_SW_TASK_CLOCK)});
  if (!counts_here(plan)) return;
  const Opened opened(plan);
  const Reading before = opened.read();
  work(100);
  const Difference clock = difference(before, opened.read());
  CHECK(clock.ran == Ran::whole);
  CHECK(clock.values[0] > 0);
  CHECK(clock.enabled_ns == clock.running_ns);
}

TEST_CASE("a tracepoint counts system calls") {
  std::uint64_t id = 0;
  for (const char* folder : {"/sys/kernel/tracing", "/sys/kernel/debug/tracing"}) {
    std::ifstream file(std::string(folder) + "/events/syscalls/sys_enter_getppid/id");
    if (id == 0 && !(file >> id)) id = 0;
  }
  if (id == 0) {
    WARN("not tested here: tracefs is not mounted or not readable, or has no system calls");
    return;
  }
  FlatPlan plan = plan_of({{PERF_TYPE_TRACEPOINT, 0, 0, id, 0, 0}});
  if (!counts_here(plan)) return;
  const Opened opened(plan);
  const Reading before = opened.read();
  for (unsigned i = 0; i < 123; ++i) syscall(SYS_getppid);
  CHECK(difference(before, opened.read()).values[0] == 123);
}

TEST_CASE("each of 8 threads has counts of its own") {
  if (!counts_here(three_breakpoints())) return;
  std::vector<std::uint64_t> counted(8);
  std::vector<int> errors(8);
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < 8; ++t)
    threads.emplace_back([t, &counted, &errors] {
      const Opened opened(three_breakpoints());
      errors[t] = opened.refusal.error;
      if (opened.refusal) return;
      const Reading before = opened.read();
      for (unsigned i = 0; i < 100 * (t + 1); ++i) watched_function();
      counted[t] = difference(before, opened.read()).values[2];
    });
  for (std::thread& thread : threads) thread.join();
  for (unsigned t = 0; t < 8; ++t) {
    CHECK(errors[t] == 0);
    CHECK(counted[t] == 100 * (t + 1));
  }
}

TEST_CASE("a thread that was there before is counted from outside") {
  if (!counts_here(three_breakpoints())) return;
  std::atomic<int> stage{0};
  std::atomic<pid_t> tid{0};
  std::thread other([&] {
    tid = static_cast<pid_t>(syscall(SYS_gettid));
    while (stage != 1) sched_yield();
    for (unsigned i = 0; i < 77; ++i) watched_function();
    stage = 2;
    while (stage != 3) sched_yield();
  });
  while (tid == 0) sched_yield();
  {
    const Opened opened(three_breakpoints(), tid);
    CHECK(opened.refusal.error == 0);
    if (!opened.refusal) {
      const Reading before = opened.read(false);
      watched_function();  // ours, not its
      stage = 1;
      while (stage != 2) sched_yield();
      CHECK(difference(before, opened.read(false)).values[2] == 77);
    } else {
      stage = 1;
      while (stage != 2) sched_yield();
    }
  }
  stage = 3;
  other.join();
}

TEST_CASE("a fork child's work is not its parent's") {
  if (!counts_here(three_breakpoints())) return;
  const Opened opened(three_breakpoints());
  const Reading before = opened.read();
  for (unsigned i = 0; i < 100; ++i) watched_function();
  const pid_t child = fork();
  if (child == 0) {
    for (unsigned i = 0; i < 50; ++i) watched_function();
    // A group of its own counts from nothing.
    Group own;
    if (open_group(three_breakpoints(), 0, 0, own)) _exit(1);
    Reading start, end;
    if (read_group(own, true, start) != 0) _exit(2);
    for (unsigned i = 0; i < 30; ++i) watched_function();
    if (read_group(own, true, end) != 0) _exit(3);
    _exit(difference(start, end).values[2] == 30 ? 0 : 4);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(status == 0);
  CHECK(difference(before, opened.read()).values[2] == 100);
}

TEST_CASE("a group that is too large leaves nothing open") {
  if (!counts_here(three_breakpoints())) return;
  const unsigned before = open_descriptors();
  FlatPlan plan = plan_of({writes_to(watched[0]), writes_to(watched[1]), writes_to(watched[2]),
                           writes_to(watched[3]), executions_of(watched_function)});
#if defined(__x86_64__)
  // Four debug registers.
  const Opened opened(plan);
  CHECK(opened.refusal.error == ENOSPC);
  CHECK(opened.refusal.step == Step::open);
  CHECK(opened.refusal.event == 4);
  CHECK(opened.group.count == 0);
  CHECK(open_descriptors() == before);
  Reading reading;
  CHECK(read_group(opened.group, true, reading) == EBADF);
#endif
  // The registers are free again, and an event that nobody knows is refused at its place.
  plan = plan_of({software(PERF_COUNT_SW_PAGE_FAULTS), software(~std::uint64_t{0} >> 1)});
  const Opened unknown(plan);
  CHECK(unknown.refusal);
  CHECK(unknown.refusal.event == 1);
  Group group;
  CHECK(open_group(plan, 1, 0, group).error == EINVAL);
  CHECK(open_descriptors() == before);
}

TEST_CASE("with 32 descriptors the groups that opened keep counting") {
  const FlatPlan plan = plan_of({executions_of(watched_function), software(PERF_COUNT_SW_DUMMY)});
  if (!counts_here(plan)) return;
  // In a child, whose limit is nobody else's.
  const pid_t child = fork();
  if (child == 0) {
    rlimit limit{};
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0) _exit(1);
    const rlimit before = limit;
    limit.rlim_cur = 32;
    std::vector<std::thread> threads;
    std::atomic<unsigned> opened{0}, refused{0}, wrong{0}, waiting{0}, finished{0};
    std::atomic<bool> limited{false}, restored{false};
    for (unsigned t = 0; t < 20; ++t)
      threads.emplace_back([&, t] {
        while (!limited) sched_yield();
        Group group;
        const Refusal refusal = open_group(plan, 0, 0, group);
        if (refusal)
          ++(refusal.error == EMFILE ? refused : wrong);
        else
          ++opened;
        ++waiting;
        while (waiting != 20) sched_yield();
        if (!refusal) {
          Reading first, last;
          wrong += read_group(group, true, first) != 0;
          for (unsigned i = 0; i < 10 + t; ++i) watched_function();
          wrong += read_group(group, true, last) != 0;
          wrong += difference(first, last).values[0] != 10 + t;
          close_group(group);
        }
        // A sanitizer needs descriptors of its own for the end of a thread.
        ++finished;
        while (!restored) sched_yield();
      });
    if (setrlimit(RLIMIT_NOFILE, &limit) != 0) _exit(1);
    limited = true;
    while (finished != 20) sched_yield();
    setrlimit(RLIMIT_NOFILE, &before);
    restored = true;
    for (std::thread& thread : threads) thread.join();
    if (wrong != 0) _exit(2);
    if (opened == 0 || refused == 0 || opened + refused != 20) _exit(3);
    _exit(0);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(WEXITSTATUS(status) == 0);
  CHECK(WIFEXITED(status));
}

TEST_CASE("a group that did not run is not counted, and one that ran in part says so") {
  std::thread([] {
    const int home = pin_to_nth(0);
    const int away = pin_to_nth(1);
    if (home < 0 || away < 0) {
      WARN("not tested here: there is one CPU only");
      return;
    }
    // Bound to this thread and to the other CPU: enabled here, but it can't run here. This is how a
    // group of the P cores looks to a thread on an E core.
    const FlatPlan plan = plan_of({software(PERF_COUNT_SW_PAGE_FAULTS)});
    if (!counts_here(plan)) return;
    Opened opened(plan);
    close_group(opened.group);
    perf_event_attr attr{};
    attr.size = sizeof attr;
    attr.type = PERF_TYPE_SOFTWARE;
    attr.config = PERF_COUNT_SW_PAGE_FAULTS;
    attr.exclude_kernel = 1;
    attr.read_format =
        PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
    const int descriptor =
        static_cast<int>(syscall(SYS_perf_event_open, &attr, 0, home, -1, PERF_FLAG_FD_CLOEXEC));
    REQUIRE(descriptor >= 0);
    opened.group.descriptors[0] = descriptor;
    opened.group.count = 1;
    const FreshPages pages(64), more(16);
    opened.read();
    const Reading before = opened.read();
    pages.touch();
    const Reading missed = opened.read();
    const Difference absent = difference(before, missed);
    CHECK(absent.ran == Ran::not_at_all);
    CHECK(absent.enabled_ns > 0);
    std::uint64_t scaled = 1;
    double factor = 1;
    CHECK_FALSE(scale(absent.values[0], absent, scaled, factor));
    pin_to_nth(0);
    more.touch();
    const Difference part = difference(before, opened.read());
    CHECK(part.ran == Ran::part);
    CHECK(part.values[0] == 16);
    REQUIRE(scale(part.values[0], part, scaled, factor));
    CHECK(factor > 1);
    CHECK(scaled >= 16);
  }).join();
}

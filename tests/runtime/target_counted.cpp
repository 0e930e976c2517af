// Work that breakpoints and page faults count exactly.
#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <memory>
#include <roofmark/roofmark.hpp>
#include <thread>
#include <vector>

#include "counted_places.hpp"
#include "target.hpp"

namespace {

void write_to(std::uintptr_t place, int times) {
  auto* const at = reinterpret_cast<volatile long*>(place);
  for (int i = 0; i < times; ++i) *at = i;
}
void call(int times) {
  for (int i = 0; i < times; ++i) reinterpret_cast<void (*)()>(place_x)();
}
void touch(std::size_t pages) {
  const std::size_t bytes = pages * 4096;
  auto* const memory = static_cast<volatile char*>(
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  madvise(const_cast<char*>(memory), bytes, MADV_NOHUGEPAGE);
  for (std::size_t page = 0; page < pages; ++page) memory[page * 4096] = 1;
}

bool make_places() {
  void* const wanted = reinterpret_cast<void*>(counted_page);
  if (mmap(wanted, 8192, PROT_READ | PROT_WRITE | PROT_EXEC,
           MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0) != wanted)
    return false;
#if defined(__x86_64__)
  *reinterpret_cast<unsigned char*>(place_x) = 0xc3;
#elif defined(__aarch64__)
  *reinterpret_cast<unsigned*>(place_x) = 0xd65f03c0;
  __builtin___clear_cache(reinterpret_cast<char*>(place_x), reinterpret_cast<char*>(place_x + 4));
#endif
  write_to(place_a, 1);
  write_to(place_b, 1);
  return true;
}

/// Threads that work when they are told to, without or with a region of their own.
class Team {
 public:
  Team(int size, bool annotated, int warm_up = 0) : size_(size) {
    for (int i = 0; i < size; ++i)
      threads_.emplace_back([this, annotated, warm_up] {
        write_to(place_a, warm_up);
        for (int round = 1;; ++round) {
          ++ready_;
          while (round_ < round && !over_) std::this_thread::yield();
          if (over_) return;
          if (annotated) {
            ROOFMARK_SCOPE("task");
            write_to(place_a, times_);
          } else {
            write_to(place_a, times_);
          }
          ++done_;
        }
      });
    while (ready_ < size) std::this_thread::yield();
  }
  ~Team() {
    over_ = true;
    for (auto& thread : threads_) thread.join();
  }
  void work(int times) {
    times_ = times;
    const int wanted = done_ + size_;
    ++round_;
    while (done_ < wanted) std::this_thread::yield();
  }

 private:
  int size_;
  std::vector<std::thread> threads_;
  std::atomic<int> ready_{0}, round_{0}, done_{0}, times_{0};
  std::atomic<bool> over_{false};
};

int exact() {
  if (!make_places()) return 3;
  for (int visit = 0; visit < 2; ++visit) {
    ROOFMARK_SCOPE("work");
    write_to(place_a, 1000);
    {
      roofmark::Scope inner(std::string(visit == 0 ? "first" : "second"));
      write_to(place_b, 500);
    }
    call(250);
  }
  ROOFMARK_SCOPE("nothing");
  return 0;
}

int pages() {
  {
    ROOFMARK_SCOPE("pages");
    touch(64);
  }
  { ROOFMARK_SCOPE("no pages"); }
  return 0;
}

// Threads that have regions: their work is in their records and not twice.
int threads() {
  if (!make_places()) return 3;
  ROOFMARK_SCOPE("team");
  Team team(8, true);
  team.work(100);
  team.work(20);
  write_to(place_a, 7);
  return 0;
}

// Threads that have none: their work is their creator's, in the region that is open then.
int unmarked() {
  if (!make_places()) return 3;
  { ROOFMARK_SCOPE("before"); }
  Team team(8, false, 3);
  {
    ROOFMARK_SCOPE("solve");
    write_to(place_a, 5);
    team.work(100);
    {
      ROOFMARK_SCOPE("step");
      team.work(10);
    }
  }
  team.work(1000);  // in no region
  ROOFMARK_SCOPE("again");
  team.work(1);
  return 0;
}

// Threads that end inside the region, and one of theirs that outlives its creator.
int ended() {
  if (!make_places()) return 3;
  std::atomic<int> step{0};
  std::thread grandchild;
  {
    ROOFMARK_SCOPE("first");
    std::thread([&] {
      write_to(place_a, 40);
      grandchild = std::thread([&] {
        write_to(place_a, 2);
        ++step;
        while (step != 2) std::this_thread::yield();
        write_to(place_a, 300);
        ++step;
        while (step != 4) std::this_thread::yield();
      });
      while (step != 1) std::this_thread::yield();
    }).join();
  }
  {
    ROOFMARK_SCOPE("second");
    ++step;
    while (step != 3) std::this_thread::yield();
  }
  ++step;
  grandchild.join();
  ROOFMARK_SCOPE("third");
  return 0;
}

// Made before anything is recorded, one with and one without a region later.
int early_threads() {
  if (!make_places()) return 3;
  Team marked(2, true), unmarked(2, false);
  marked.work(9);
  unmarked.work(9);
  { ROOFMARK_SCOPE("first"); }
  ROOFMARK_SCOPE("solve");
  marked.work(100);
  unmarked.work(10);
  return 0;
}

int forks() {
  if (!make_places()) return 3;
  ROOFMARK_SCOPE("solve");
  write_to(place_a, 10);
  const pid_t child = fork();
  if (child == 0) {
    write_to(place_a, 70);
    {
      ROOFMARK_SCOPE("child");
      write_to(place_a, 6);
    }
    return 0;
  }
  waitpid(child, nullptr, 0);
  write_to(place_a, 5);
  return 0;
}

// Entered on one thread and left on another: the work of the one that entered it.
int left_elsewhere() {
  if (!make_places()) return 3;
  auto scope = std::make_unique<roofmark::Scope>("handed over");
  write_to(place_a, 30);
  std::thread([&] {
    write_to(place_a, 500);
    scope.reset();
  }).join();
  write_to(place_a, 1000);
  ROOFMARK_SCOPE("after");
  write_to(place_a, 4);
  return 0;
}

void move_to(int cpu) {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(cpu, &one);
  sched_setaffinity(0, sizeof one, &one);
}
/// So long that what passes between two readings is nothing beside it.
void be_there(long milliseconds) {
  timespec now{};
  const auto spent = [&] {
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return now.tv_sec * 1000 + now.tv_nsec / 1000000;
  };
  const long start = spent();
  while (spent() < start + milliseconds) {
  }
}

// On one CPU, on the other, and from one to the other in one visit: TARGET_CPUS="FIRST SECOND".
int moves() {
  const char* const cpus = std::getenv("TARGET_CPUS");
  int first = 0, second = 0;
  if (cpus == nullptr || std::sscanf(cpus, "%d %d", &first, &second) != 2 || !make_places())
    return 3;
  move_to(first);
  { ROOFMARK_SCOPE("before"); }
  {
    ROOFMARK_SCOPE("first");
    write_to(place_a, 100);
    be_there(20);
  }
  {
    ROOFMARK_SCOPE("both");
    write_to(place_a, 20);
    be_there(100);
    move_to(second);
    write_to(place_a, 7);
    be_there(100);
  }
  ROOFMARK_SCOPE("second");
  write_to(place_a, 50);
  be_there(20);
  return 0;
}

// What a program sees of its descriptors: the lowest free one is the next, as ever.
int descriptors() {
  rlimit limit;
  getrlimit(RLIMIT_NOFILE, &limit);
  int first = -1, free = 0;
  for (int number = 0; number < static_cast<int>(limit.rlim_cur); ++number) {
    if (fcntl(number, F_GETFD) >= 0) continue;
    ++free;
    if (first < 0) first = number;
  }
  { ROOFMARK_SCOPE("work"); }
  if (dup(0) != first) return 1;
  int opened = 1;
  while (dup(0) >= 0) ++opened;
  rlimit after;
  getrlimit(RLIMIT_NOFILE, &after);
  return opened == free && after.rlim_cur == limit.rlim_cur ? 0 : 2;
}

// A program that closes what it does not know, as daemons do.
int closes_all() {
  if (!make_places()) return 3;
  {
    ROOFMARK_SCOPE("work");
    write_to(place_a, 10);
  }
  for (int descriptor = 3; descriptor < 20000; ++descriptor) close(descriptor);
  ROOFMARK_SCOPE("work");
  write_to(place_a, 20);
  return 0;
}

// System calls, which a tracepoint counts; the runtime makes none of these.
int calls() {
  const auto call = [](int times) {
    for (int i = 0; i < times; ++i) syscall(SYS_getppid);
  };
  {
    ROOFMARK_SCOPE("calls");
    call(1000);
    {
      ROOFMARK_SCOPE("inner");
      call(23);
    }
    std::vector<std::thread> threads;
    for (int t = 1; t <= 8; ++t)
      threads.emplace_back([&call, t] {
        ROOFMARK_SCOPE("task");
        call(10 * t);
      });
    for (auto& thread : threads) thread.join();
  }
  ROOFMARK_SCOPE("none");
  return 0;
}

}  // namespace

Scenarios counted_scenarios() {
  return {{"counted exact", exact},           {"counted pages", pages},
          {"counted threads", threads},       {"counted unmarked", unmarked},
          {"counted ended", ended},           {"counted early", early_threads},
          {"counted forks", forks},           {"counted elsewhere", left_elsewhere},
          {"counted moves", moves},           {"counted descriptors", descriptors},
          {"counted closes all", closes_all}, {"counted calls", calls}};
}

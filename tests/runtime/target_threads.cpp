#include <atomic>
#include <condition_variable>
#include <coroutine>
#include <memory>
#include <mutex>
#include <roofmark/roofmark.hpp>
#include <thread>

#include "target.hpp"

namespace {

void task(const char* name) {
  roofmark::Scope scope(name);
  ROOFMARK_SCOPE("inner");
}

// Regions of a thread hang below the region that was open where it was created.
int below_creator() {
  ROOFMARK_SCOPE("solve");
  std::thread first([] { task("spmv"); });
  first.join();
  // The creator has no region of its own: its creator's counts.
  std::thread second([] { std::thread([] { task("spmv"); }).join(); });
  second.join();
  // What the creator opens later does not matter.
  std::atomic<int> step{0};
  std::thread third([&] {
    while (step != 1) std::this_thread::yield();
    task("spmv");
    step = 2;
  });
  {
    ROOFMARK_SCOPE("waiting");
    step = 1;
    while (step != 2) std::this_thread::yield();
  }
  third.join();
  return 0;
}

// A pool: its thread was made before the region that uses it.
int pool() {
  std::atomic<int> step{0};
  std::thread worker([&] {
    for (int round = 0; round < 3; ++round) {
      while (step != 2 * round + 1) std::this_thread::yield();
      task(round == 2 ? "solve" : "task");
      step = 2 * round + 2;
    }
  });
  for (int round = 0; round < 3; ++round) {
    ROOFMARK_SCOPE("solve");
    step = 2 * round + 1;
    while (step != 2 * round + 2) std::this_thread::yield();
  }
  worker.join();
  return 0;
}

// One literal scope of a worker, while what its place hangs on changes: the short ways in must see
// every change.
int places() {
  std::atomic<int> asked{0}, done{0};
  std::thread worker;
  const auto work = [&] {
    for (int i = 0; i < 3; ++i) {
      ROOFMARK_SCOPE("work");
      ROOFMARK_SCOPE("inner");
    }
  };
  const auto let_work = [&] {
    ++asked;
    while (done != asked) std::this_thread::yield();
  };
  {
    ROOFMARK_SCOPE("origin");
    worker = std::thread([&] {
      for (int round = 1; round <= 9; ++round) {
        while (asked < round) std::this_thread::yield();
        if (round == 9) roofmark::detach_thread();
        work();
        done = round;
      }
    });
    let_work();
    ROOFMARK_SCOPE("deeper");  // what the creator opens later does not matter
    let_work();
  }
  let_work();  // nothing is open
  for (int i = 0; i < 2; ++i) {
    ROOFMARK_SCOPE("a");
    let_work();
    ROOFMARK_SCOPE("b");
    let_work();
  }
  let_work();
  ROOFMARK_SCOPE("a");
  let_work();  // detached
  worker.join();
  return 0;
}

int detached() {
  ROOFMARK_SCOPE("solve");
  std::thread([] {
    roofmark::detach_thread();
    task("background");
  }).join();
  return 0;
}

int short_threads() {
  ROOFMARK_SCOPE("main");
  for (int i = 0; i < 100000; ++i) std::thread([] { task("short"); }).join();
  return 0;
}

int live_threads() {
  ROOFMARK_SCOPE("main");
  std::atomic<int> arrived{0};
  std::thread threads[16];
  for (auto& thread : threads)
    thread = std::thread([&] {
      for (int i = 0; i < 1000; ++i) task("work");
      ++arrived;
      while (arrived != 16) std::this_thread::yield();
    });
  for (auto& thread : threads) thread.join();
  return 0;
}

int wrong_thread() {
  auto scope = std::make_unique<roofmark::Scope>("moved");
  std::thread([&] { scope.reset(); }).join();
  { ROOFMARK_SCOPE("next"); }
  ROOFMARK_SCOPE("last");
  return 0;
}

// The same, while regions inside it are open: what comes after them has its own place.
void cycle(bool keep) {
  std::unique_ptr<roofmark::Scope> moved;
  if (keep) {
    moved = std::make_unique<roofmark::Scope>("moved");
  }
  {
    ROOFMARK_SCOPE("inside");
    if (keep) std::thread([&] { moved.reset(); }).join();
    roofmark::Scope settles("settles");
  }
  { ROOFMARK_SCOPE("inside"); }
}
int wrong_thread_outside() {
  std::thread([] {
    for (int i = 0; i < 4; ++i) cycle(true);
    cycle(false);
  }).join();
  ROOFMARK_SCOPE("around");
  for (int i = 0; i < 4; ++i) cycle(true);
  cycle(false);
  return 0;
}

// Scopes that are closed when their threads have ended, and others have taken their storage.
int outlives_thread() {
  ROOFMARK_SCOPE("main");
  std::unique_ptr<roofmark::Scope> scopes[8];
  for (auto& scope : scopes) {
    std::thread([&] { scope = std::make_unique<roofmark::Scope>("left open"); }).join();
    std::thread([&] {
      ROOFMARK_SCOPE("its successor");
      scopes[0].reset();
    }).join();
  }
  for (auto& scope : scopes) scope.reset();
  { ROOFMARK_SCOPE("after"); }
  return 0;
}

struct Coroutine {
  struct promise_type {
    Coroutine get_return_object() {
      return {std::coroutine_handle<promise_type>::from_promise(*this)};
    }
    std::suspend_never initial_suspend() { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() {}
  };
  std::coroutine_handle<promise_type> handle;
};
Coroutine suspended() {
  ROOFMARK_SCOPE("coroutine");
  co_await std::suspend_always{};
}
int coroutine() {
  Coroutine started;
  {
    ROOFMARK_SCOPE("caller");
    started = suspended();
  }
  std::thread([&] { started.handle.resume(); }).join();
  started.handle.destroy();
  ROOFMARK_SCOPE("last");
  return 0;
}

// A destructor that runs at the thread's end is still annotated.
struct AtEnd {
  ~AtEnd() { task("at the end"); }
};
int late_regions() {
  std::thread([] {
    thread_local AtEnd end;
    (void)&end;
    task("early");
  }).join();
  return 0;
}

}  // namespace

Scenarios thread_scenarios() {
  return {{"below creator", below_creator},
          {"pool", pool},
          {"wrong thread outside", wrong_thread_outside},
          {"places", places},
          {"detached", detached},
          {"short threads", short_threads},
          {"live threads", live_threads},
          {"wrong thread", wrong_thread},
          {"outlives thread", outlives_thread},
          {"coroutine", coroutine},
          {"late regions", late_regions}};
}

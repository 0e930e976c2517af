// Counters of a process that runs already, on watchpoints, which every kernel counts exactly: all
// its threads, those that are born while it is counted, and none of them twice.
#include <unistd.h>

#include <analysis/files/process_threads.hpp>
#include <analysis/record/process_counters.hpp>
#include <condition_variable>
#include <csignal>
#include <mutex>
#include <thread>

#include "tests/perf/perf_support.hpp"
#include "tests/support/in_child.hpp"

using namespace roofmark;
using perf_test::watched;

namespace {

constexpr std::uint64_t writes_of_worker = 10, writes_of_short = 7, writes_of_main = 3;

void write_watched(std::uint64_t times) {
  for (std::uint64_t i = 0; i < times; ++i) {
    watched[0] = 1;
    watched[1] = 1;
    watched[1] = 2;
  }
}

/// Threads that work whenever they are told.
class Workers {
 public:
  void add() {
    threads_.emplace_back([this, seen = round_]() mutable {
      std::unique_lock lock(mutex_);
      for (;;) {
        changed_.wait(lock, [&] { return over_ || round_ != seen; });
        if (over_) return;
        seen = round_;
        write_watched(writes_of_worker);
        ++done_;
        changed_.notify_all();
      }
    });
  }
  void work() {
    std::unique_lock lock(mutex_);
    done_ = 0;
    ++round_;
    changed_.notify_all();
    changed_.wait(lock, [&] { return done_ == threads_.size(); });
  }
  void end() {
    {
      const std::lock_guard lock(mutex_);
      over_ = true;
      changed_.notify_all();
    }
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
    over_ = false;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::thread> threads_;
  unsigned round_ = 0;
  std::size_t done_ = 0;
  bool over_ = false;
};

void obey(Workers& workers, char order) {
  switch (order) {
    case 'a':
      return workers.add();
    case 'w':
      return workers.work();
    case 'e':
      return workers.end();
    case 's':
      return std::thread([] { write_watched(writes_of_short); }).join();
    case 'm':
      return write_watched(writes_of_main);
    case 'f':
      test::in_child([] {
        write_watched(writes_of_short);
        return 0;
      });
      return;
    default:
      return;
  }
}

/// A process that does as it is told: a letter for an order, and one back when it is done.
class Guest {
 public:
  Guest() {
    REQUIRE(pipe(to_) == 0);
    REQUIRE(pipe(from_) == 0);
    pid_ = fork();
    if (pid_ != 0) return;
    Workers workers;
    char order = 0;
    close(to_[1]);
    while (read(to_[0], &order, 1) == 1 && order != 'x') {
      obey(workers, order);
      if (write(from_[1], &order, 1) != 1) break;
    }
    workers.end();
    _exit(0);
  }
  ~Guest() {
    for (const int end : {to_[1], to_[0], from_[0], from_[1]}) close(end);
    if (pid_ > 0) waitpid(pid_, nullptr, 0);
  }
  Guest(const Guest&) = delete;
  Guest& operator=(const Guest&) = delete;
  pid_t pid() const { return pid_; }
  void operator()(const char* orders) const {
    for (; *orders != 0; ++orders) {
      char done = 0;
      REQUIRE(write(to_[1], orders, 1) == 1);
      REQUIRE(read(from_[0], &done, 1) == 1);
    }
  }
  void end() {
    REQUIRE(write(to_[1], "x", 1) == 1);
    waitpid(pid_, nullptr, 0);
    pid_ = -1;
  }

 private:
  pid_t pid_ = -1;
  int to_[2] = {}, from_[2] = {};
};

/// One group: writes to two places, of which the second has twice as many.
MeasuredPasses two_places() {
  MeasuredPasses passes;
  PlannedGroup group;
  group.pmu = "breakpoint";
  group.events = {{"once", perf_test::writes_to(watched[0])},
                  {"twice", perf_test::writes_to(watched[1])}};
  passes.plan.passes = 1;
  passes.plan.groups.push_back(group);
  passes.explain = [](const RawRefusal& refusal, unsigned) {
    return Problem{"refused with " + std::to_string(refusal.error), "", ""};
  };
  return passes;
}

bool can_watch() {
  return perf_test::counts_here(
      perf_test::plan_of({perf_test::writes_to(watched[0]), perf_test::writes_to(watched[1])}));
}

ProcessCounters opened(const Guest& guest, const ProcessCounters::ListThreads& list = {}) {
  auto counters = ProcessCounters::open(two_places(), guest.pid(), list);
  REQUIRE(counters);
  return std::move(*counters);
}

void check(const RunningCounts& counts, std::uint64_t writes) {
  REQUIRE(counts.refused.empty());
  REQUIRE(counts.counts.size() == 1);
  const perf::Difference& sum = counts.counts.front().counts;
  CHECK(sum.ran == perf::Ran::whole);
  REQUIRE(sum.count == 2);
  CHECK(sum.values[0] == writes);
  CHECK(sum.values[1] == 2 * writes);
}

}  // namespace

TEST_CASE("all threads of a process are counted, also those that are born and that end") {
  if (!can_watch()) return;
  const Guest guest;
  guest("aaw");
  const unsigned before = perf_test::open_descriptors();
  {
    ProcessCounters counters = opened(guest);
    guest("wsm");  // opened, and not begun
    counters.start();
    guest("wmasswe");  // two, main, then a third; two short ones; three; and they end
    counters.stop();
    guest("m");
    const RunningCounts counts = counters.read();
    check(counts, (2 + 3) * writes_of_worker + writes_of_main + 2 * writes_of_short);
    REQUIRE(counts.note);
    CHECK(counts.note->find("3 threads, 2 of which ended") != std::string::npos);
    CHECK_FALSE(counts.lacks);
  }
  CHECK(perf_test::open_descriptors() == before);
}

TEST_CASE("a thread that is born while counters are opened is counted once") {
  if (!can_watch()) return;
  const Guest guest;
  unsigned looks = 0;
  // The first look finds one thread; it makes another when it has its counters, which inherits
  // them.
  ProcessCounters counters = opened(guest, [&](pid_t process) {
    if (++looks == 2) guest("a");
    return threads_of(process);
  });
  CHECK(looks == 4);
  counters.start();
  guest("w");
  counters.stop();
  const RunningCounts counts = counters.read();
  check(counts, writes_of_worker);
  CHECK_FALSE(counts.note);
  CHECK_FALSE(counts.lacks);
}

TEST_CASE("a process whose threads never stay the same gives lower bounds, and says so") {
  if (!can_watch()) return;
  const Guest guest;
  pid_t made_up = 1 << 30;
  ProcessCounters counters = opened(guest, [&](pid_t process) {
    std::vector<pid_t> threads = threads_of(process);
    threads.push_back(++made_up);
    return threads;
  });
  counters.start();
  guest("m");
  counters.stop();
  const RunningCounts counts = counters.read();
  check(counts, writes_of_main);
  REQUIRE(counts.lacks);
  CHECK(counts.lacks->find("lower bound: 1 thread") != std::string::npos);
}

TEST_CASE("processes that a process starts are counted with it") {
  if (!can_watch()) return;
  const Guest guest;
  ProcessCounters counters = opened(guest);
  counters.start();
  guest("fmf");
  counters.stop();
  check(counters.read(), 2 * writes_of_short + writes_of_main);
}

TEST_CASE("what a process did before it ended stays counted") {
  if (!can_watch()) return;
  Guest guest;
  guest("aa");
  ProcessCounters counters = opened(guest);
  counters.start();
  guest("wm");
  guest.end();
  counters.stop();
  const RunningCounts counts = counters.read();
  check(counts, 2 * writes_of_worker + writes_of_main);
  REQUIRE(counts.note);
  CHECK(counts.note->find("3 threads, 3 of which ended") != std::string::npos);
  const auto late = ProcessCounters::open(two_places(), pid_t{1} << 30);
  REQUIRE_FALSE(late);
  CHECK(late.error().reason == "the process has ended");
}

TEST_CASE("another user's process is refused, with the kernel's reason") {
  if (!can_watch()) return;
  if (geteuid() != 0) {
    WARN("not tested here: only root can become another user");
    return;
  }
  const Guest guest;
  CHECK(test::in_child([&] {
          constexpr uid_t nobody = 65534;
          if (setgid(nobody) != 0 || setuid(nobody) != 0) return 1;
          const auto counters = ProcessCounters::open(two_places(), guest.pid());
          return !counters && counters.error().reason == "refused with 13" ? 0 : 2;
        }) == 0);
}

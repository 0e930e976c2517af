// Threads bound to one hardware thread each, in step with one another.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace roofmark {

/// All members arrive before any goes on. Spins, because a window of 30 us can't wait for a
/// wake-up; yields after a while, because the machine may be busy with other things.
class Barrier {
 public:
  explicit Barrier(unsigned members) : members_(members) {}
  void wait();

 private:
  const unsigned members_;
  std::atomic<unsigned> arrived_{0};
  std::atomic<unsigned> phase_{0};
};

/// Calls `work(index)` on one new thread per CPU, bound to it; returns when all have ended. False
/// when a thread could not be bound (it ran all the same).
bool run_on_cpus(std::span<const unsigned> cpus, const std::function<void(unsigned)>& work);

}  // namespace roofmark

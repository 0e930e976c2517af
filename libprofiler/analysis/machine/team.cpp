#include "team.hpp"

#include <pthread.h>
#include <sched.h>

#include <thread>

namespace roofmark {
namespace {

bool bind_this_thread(unsigned cpu) {
  cpu_set_t* set = CPU_ALLOC(cpu + 1);
  if (set == nullptr) return false;
  const std::size_t bytes = CPU_ALLOC_SIZE(cpu + 1);
  CPU_ZERO_S(bytes, set);
  CPU_SET_S(cpu, bytes, set);
  const bool bound = pthread_setaffinity_np(pthread_self(), bytes, set) == 0;
  CPU_FREE(set);
  return bound;
}

inline void relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
}

}  // namespace

void Barrier::wait() {
  const unsigned phase = phase_.load(std::memory_order_acquire);
  if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 == members_) {
    arrived_.store(0, std::memory_order_relaxed);
    phase_.store(phase + 1, std::memory_order_release);
    return;
  }
  constexpr unsigned spins_before_yield = 4000;
  for (unsigned spins = 0; phase_.load(std::memory_order_acquire) == phase; ++spins) {
    relax();
    if (spins > spins_before_yield) sched_yield();
  }
}

bool run_on_cpus(std::span<const unsigned> cpus, const std::function<void(unsigned)>& work) {
  std::atomic<bool> all_bound{true};
  std::vector<std::thread> threads;
  threads.reserve(cpus.size());
  for (unsigned index = 0; index < cpus.size(); ++index)
    threads.emplace_back([&, index] {
      if (!bind_this_thread(cpus[index])) all_bound = false;
      work(index);
    });
  for (std::thread& thread : threads) thread.join();
  return all_bound;
}

}  // namespace roofmark

// At the program's end nothing is waited for without end.
#pragma once

#include <time.h>

#include <mutex>

namespace roofmark::cupti {

/// Whether the lock was had in time. By trying: a lock with a deadline is unknown to older C
/// libraries and to the thread sanitizer.
inline bool lock_soon(std::unique_lock<std::mutex>& lock) {
  constexpr unsigned tries = 200;
  constexpr timespec pause{0, 10'000'000};  // two seconds in all
  for (unsigned i = 0; i < tries; ++i) {
    if (lock.try_lock()) return true;
    nanosleep(&pause, nullptr);
  }
  return false;
}

}  // namespace roofmark::cupti

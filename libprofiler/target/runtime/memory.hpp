// Private memory of the runtime: never malloc, which the program may have replaced or may be in the
// middle of. Nothing is given back, so that a stale token never points to memory that is gone.
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace roofmark::runtime {

template <class T>
inline T load(const T& from) {
  return __atomic_load_n(&from, __ATOMIC_RELAXED);
}
template <class T>
inline T load_acquire(const T& from) {
  return __atomic_load_n(&from, __ATOMIC_ACQUIRE);
}
template <class T>
inline void store(T& to, T value) {
  __atomic_store_n(&to, value, __ATOMIC_RELAXED);
}
template <class T>
inline void store_release(T& to, T value) {
  __atomic_store_n(&to, value, __ATOMIC_RELEASE);
}
// Doubles have no __atomic_store_n.
inline void store(double& to, double value) {
  __atomic_store(&to, &value, __ATOMIC_RELAXED);
}
// What was stored before is seen before what is stored after. (ThreadSanitizer has no fences; it
// needs none here, as the reader is another process.)
inline void fence_release() {
#if defined(__SANITIZE_THREAD__)
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
#else
  __atomic_thread_fence(__ATOMIC_RELEASE);
#endif
#else
  __atomic_thread_fence(__ATOMIC_RELEASE);
#endif
}

// What was read before is not read again after. (For ThreadSanitizer: as above; what is read beside
// it are atomics.)
inline void fence_acquire() {
#if defined(__SANITIZE_THREAD__)
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
#else
  __atomic_thread_fence(__ATOMIC_ACQUIRE);
#endif
#else
  __atomic_thread_fence(__ATOMIC_ACQUIRE);
#endif
}

inline bool likely(bool condition) {
  return __builtin_expect(condition, true);
}
inline bool unlikely(bool condition) {
  return __builtin_expect(condition, false);
}

/// Anonymous zeroed pages, or null.
void* map_pages(size_t bytes);
/// Zeroes them again in every fork child. Refused by kernels before 4.14: then the handler that
/// fork() runs is all there is.
void wipe_in_fork_children(void* pages, size_t bytes);

/// Hands out zeroed, 64-byte aligned memory from growing chunks; owned by one thread.
class Pool {
 public:
  /// Null when the system has no more.
  void* take(size_t bytes);
  template <class T>
  T* take_array(size_t count) {
    return static_cast<T*>(take(count * sizeof(T)));
  }
  /// Everything that was taken may be taken again.
  void reset();
  /// Forgets its chunks: they stay readable for those who still point into them.
  void abandon();

 private:
  struct Chunk {
    Chunk* next;
    size_t bytes;
  };
  Chunk* first_ = nullptr;
  Chunk* chunk_ = nullptr;
  size_t used_ = 0;
};

}  // namespace roofmark::runtime

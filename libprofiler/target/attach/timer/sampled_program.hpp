// The timer sampler of this process: see timer.cpp. What stands in front of functions of the C
// library is in entry.cpp.
#pragma once

#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>

#include "libprofiler/arena/timer_layout.h"

namespace roofmark::timer {

/// A thread that has a timer.
struct Slot {
  int tid = 0;            // atomic; 0: free
  int timer = 0;          // atomic: 1 + the kernel's number, 0: none. Whoever takes it deletes it.
  void* stack = nullptr;  // the handler's, where the thread had none
};

struct Sampler {
  const arena::TimerControl* control = nullptr;  // null: nothing is sampled
  arena::TimerRing* ring = nullptr;              // atomic
  int installed = 0;  // atomic: our handler is, and the program sees the default action
  int ended = 0;      // atomic: for good, in this process
  pthread_key_t key = 0;
  int (*real_sigaction)(int, const struct sigaction*, struct sigaction*) = nullptr;
  size_t stem_length = 0;
  char path[4096] = {};
  Slot slots[1024] = {};
};
extern Sampler sampler;

/// A file of so many bytes of disk, mapped; MAP_FAILED: there is no room.
void* reserve_mapped(int file, uint64_t bytes);
bool fits_file_limit(uint64_t bytes);
bool open_ring(const char* directory);
void close_ring();
void install_handler();
/// Gives the calling thread its timer.
void begin_thread();
/// No more timers in this process, with the reason, 0: regions are wanted.
void end_here(uint32_t why);
/// In a fork child: a ring and a timer of its own.
void become_child(const char* directory);
/// Of libraries that were loaded since the beginning.
void last_maps();
void thread_ends(void* slot);  // of the thread key

}  // namespace roofmark::timer

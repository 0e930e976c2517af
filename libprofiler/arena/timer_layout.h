// What the timer sampler in a program and the recorder share: files in the recording's directory.
// One for the recording, which the recorder writes, and one for each process image: a header and a
// ring of samples that the recorder empties now and then, so that neither file grows.
#pragma once

#include <stdint.h>

namespace roofmark::arena {

inline constexpr uint64_t timer_control_magic = 0x314c5443544d5252;  // "RRMTCTL1", little-endian
inline constexpr uint64_t timer_ring_magic = 0x31474e52544d5252;     // "RRMTRNG1"
inline constexpr char timer_control_name[] = "timer.control";
inline constexpr char timer_ring_suffix[] = ".samples";
/// Beside a ring, of the same name: lines of /proc/PID/maps, later ones hold over earlier ones.
inline constexpr char timer_maps_suffix[] = ".maps";

struct TimerControl {
  uint64_t magic;
  uint64_t period_ns;  // of a thread's processor time
  uint32_t stop;       // atomic: no more samples are wanted
  uint32_t thinning;   // atomic: every 2^n-th is kept, and stands for as many
};

/// Why a process, or a part of it, is not sampled.
enum TimerRefusal : uint32_t {
  timer_in_use = 1u << 0,   // the program handles SIGPROF itself
  timer_blocked = 1u << 1,  // a thread began with SIGPROF blocked
  timer_refused = 1u << 2,  // no timer, or no stack for the handler: `error`
};

struct TimerRing {
  uint64_t magic;  // written last
  int32_t pid;
  uint32_t capacity;
  uint32_t refusals;    // atomic
  int32_t error;        // atomic
  uint64_t created_ns;  // CLOCK_MONOTONIC: tells images of one process apart
  uint64_t head;        // atomic: samples begun
  uint64_t tail;        // atomic: samples taken, by the recorder
  uint64_t lost;        // atomic: there was no room
};
inline constexpr uint64_t timer_ring_header_bytes = 4096;

struct TimerSample {
  uint64_t number;  // atomic: 1 + its number in the ring, when it is whole
  uint64_t address;
  uint64_t time_ns;  // CLOCK_MONOTONIC
  int32_t thread;
  uint32_t periods;  // that it stands for
};
inline constexpr uint32_t timer_ring_capacity = 8192;

}  // namespace roofmark::arena

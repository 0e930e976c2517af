// What a run of one kind does with what CUPTI tells of the program.
#pragma once

#include <cuda.h>

#include <cstdint>

#include "driver_calls.hpp"
#include "snapshot.hpp"

namespace roofmark::cupti {

/// A call of the driver that launches, copies or waits.
struct DriverCall {
  CallKind kind = CallKind::none;
  CUcontext context = nullptr;
  const char* kernel = nullptr;  ///< mangled name; of launches
  std::uint32_t correlation = 0;
  std::uint64_t* memory = nullptr;  ///< a word that is kept from the call's begin to its end
};

class Run {
 public:
  Run() = default;
  virtual ~Run() = default;
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  /// Subscribed: asks CUPTI for more. False: nothing can be had.
  virtual bool begin() = 0;
  virtual void context_created(CUcontext context) = 0;
  virtual void context_ends(CUcontext context) = 0;
  virtual void call_begins(const DriverCall& call) = 0;
  /// `done`: it did what it was to do; not so where it failed, or was kept for a graph.
  virtual void call_ends(const DriverCall& call, bool done) = 0;
  /// Nothing is recorded any more, and this thread's call ends: what it keeps others from is free.
  virtual void let_go() noexcept {}
  /// The same launch by the number that the runtime's call has.
  virtual void runtime_call_begins(std::uint32_t) {}
  /// Now and then, in a thread of our own.
  virtual void look() = 0;
  /// The process ends.
  virtual void finish() = 0;
  virtual void write(Snapshot& snapshot) = 0;
};

}  // namespace roofmark::cupti

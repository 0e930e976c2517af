// One of perf's events with the ring buffer that its records go to.
#pragma once

#include <analysis/files/descriptor.hpp>
#include <cstddef>
#include <functional>

namespace roofmark::sampling {

class PerfRing {
 public:
  /// Maps the buffer of an event: 0, or an errno.
  int open(Descriptor event, std::size_t data_bytes);
  PerfRing() = default;
  PerfRing(PerfRing&& other) noexcept;
  PerfRing& operator=(PerfRing&& other) = delete;
  PerfRing(const PerfRing&) = delete;
  PerfRing& operator=(const PerfRing&) = delete;
  ~PerfRing();

  /// Hands out all records that are there, and makes room.
  void drain(const std::function<void(const std::byte*, std::size_t)>& take);
  int descriptor() const { return event_.get(); }

 private:
  Descriptor event_;
  std::byte* memory_ = nullptr;
  std::size_t page_bytes_ = 0, data_bytes_ = 0;
};

}  // namespace roofmark::sampling

// Memory to measure with: large pages where the system gives them, first touched by its user.
#pragma once

#include <cstddef>
#include <optional>
#include <roofmark/result.hpp>

namespace roofmark {

class Buffer {
 public:
  /// Reserves address space; nothing is resident before touch(). `numa_node`: bind the pages to it.
  static Result<Buffer> reserve(std::size_t bytes, std::optional<unsigned> numa_node = {});
  Buffer() = default;
  Buffer(Buffer&& other) noexcept;
  Buffer& operator=(Buffer&& other) noexcept;
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer();

  std::byte* data() const { return data_; }
  std::size_t bytes() const { return bytes_; }
  std::size_t touched() const { return touched_; }

  /// Makes the first `bytes` resident, by the calling thread, unless that takes longer than
  /// `limit_s`. What is resident then is touched().
  void touch(std::size_t bytes, double limit_s);

  /// The page size that most of the touched part really has.
  std::size_t page_bytes() const;

  /// Gives all pages back; from now on touch() brings pages of the smallest size. False where the
  /// system can't promise that.
  bool use_base_pages();

 private:
  std::byte* mapping_ = nullptr;
  std::size_t mapped_ = 0;
  std::byte* data_ = nullptr;
  std::size_t bytes_ = 0;
  std::size_t touched_ = 0;
};

/// Evicts these lines from every cache, where an ordinary program may do that; true if so.
bool flush_from_caches(const std::byte* data, std::size_t bytes);

/// Memory that this process may still take: what is available, the cgroup's limit and RLIMIT_AS.
std::size_t available_memory_bytes();

}  // namespace roofmark

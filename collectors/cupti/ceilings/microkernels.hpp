// The kernels of kernels.cu: what each measures and how much it does.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace roofmark::cupti {

/// What bounds a kernel, and so how it is launched.
enum class Bound {
  arithmetic,  ///< registers alone: `iterations` grows until a launch is long enough
  memory,      ///< streams over buffers far larger than L2
  l2,          ///< one buffer of a part of L2, read by all again and again
  sm           ///< a buffer of each block's own, in L1 or shared memory
};

struct Microkernel {
  const char* name;      ///< of the function in the module
  const char* quantity;  ///< "flop.f64"
  const char* pattern;   ///< GpuCeiling::pattern
  Bound bound;
  /// FLOPs, operations or bytes: of a thread in an iteration; of an element of 16 bytes in one pass
  /// for `memory` and `l2`.
  double work;
  unsigned block_threads, blocks_per_sm;
  unsigned shared_bytes = 0;  ///< dynamic
  /// Of the same work, for those who count it (tests/gpu): bytes read and written of an element.
  unsigned read_bytes = 0, write_bytes = 0;
};

/// Those that a module lacks are not of its architecture.
std::span<const Microkernel> microkernels();

/// What a launch does in all.
double work_of(const Microkernel& kernel, std::uint64_t threads, std::uint64_t elements,
               std::uint64_t iterations);

}  // namespace roofmark::cupti

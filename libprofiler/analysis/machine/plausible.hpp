// What a machine can be: beyond these bounds a number in a file is a mistake, not a machine. They
// leave orders of magnitude on both sides of what has been built.
#pragma once

#include <cstdint>

namespace roofmark::plausible {

template <class Number>
struct Range {
  Number least, most;
};
using Counts = Range<std::uint64_t>;
using Numbers = Range<double>;

inline constexpr Counts node_number{0, 65535};
inline constexpr Counts sockets{1, 1024};
inline constexpr Counts numa_nodes{1, 65536};
inline constexpr Counts cores{1, 1 << 20};
inline constexpr Counts threads{1, 1 << 22};
inline constexpr Counts smt{1, 64};
inline constexpr Counts cores_of_a_kind{0, 1 << 20};

inline constexpr Counts cache_bytes{1, std::uint64_t{1} << 40};
inline constexpr Counts ways{0, 1 << 20};  ///< 0: not known, or all of them
inline constexpr Counts line_bytes{1, 4096};
inline constexpr Counts shared_by{1, 1 << 22};
inline constexpr Numbers latency_s{1e-12, 1e-3};
inline constexpr Counts memory_bytes{0, std::uint64_t{1} << 60};

inline constexpr Numbers clock_hz{1e3, 1e12};
inline constexpr Counts width_bits{0, 65536};  ///< 0: scalar or not known
inline constexpr Numbers flop_per_s{1, 1e21};
inline constexpr Numbers flop_per_cycle{0, 1e12};  ///< of all cores; 0: not known
inline constexpr Numbers bytes_per_s{1, 1e18};
inline constexpr Counts multiprocessors{0, 1 << 20};
inline constexpr Numbers gpu_per_s{1, 1e21};
inline constexpr Numbers gpu_per_cycle{0, 1e12};  ///< 0: not known
inline constexpr Numbers page_bytes{0, 1e12};     ///< 0: not known

}  // namespace roofmark::plausible

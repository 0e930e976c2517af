// What the counting half says of events that it does not count, beside PAPI's own errors (which are
// above -100). Kept in the recording as numbers.
#pragma once

namespace roofmark::papi {

inline constexpr int not_additive = -1001;  ///< derived by a division: no difference means anything
inline constexpr int not_whole = -1002;     ///< its values are no whole numbers
inline constexpr int not_a_sum = -1003;     ///< a level at a moment, not a running sum
inline constexpr int wrong_component = -1004;  ///< it belongs to another component than was planned

}  // namespace roofmark::papi

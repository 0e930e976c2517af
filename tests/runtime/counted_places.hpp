// Where the counted program works: breakpoints on these addresses count it exactly, on any kernel.
#pragma once

#include <cstdint>

inline constexpr std::uintptr_t counted_page = 0x2000'0000'0000;
inline constexpr std::uintptr_t place_a = counted_page;         // written
inline constexpr std::uintptr_t place_b = counted_page + 64;    // written
inline constexpr std::uintptr_t place_x = counted_page + 4096;  // called

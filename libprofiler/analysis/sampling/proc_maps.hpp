// /proc/PID/maps: which file's code lies where in a process.
#pragma once

#include <analysis/sampling/address_spaces.hpp>
#include <cstdint>
#include <istream>

namespace roofmark::sampling {

/// Adds the executable mappings of such a text to `process`; later lines replace earlier ones.
void add_mappings(std::istream& maps, std::int32_t process, AddressSpaces& spaces);

}  // namespace roofmark::sampling

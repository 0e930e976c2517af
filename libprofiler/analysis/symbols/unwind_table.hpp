// Where functions lie by the table for unwinding that a loaded object has for exceptions and
// backtraces (.eh_frame by .eh_frame_hdr): `strip` leaves it, so code without symbols has
// functions.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

namespace roofmark::symbols {

/// Addresses [first, end), as the file states them.
struct AddressRange {
  std::uint64_t first = 0;
  std::uint64_t end = 0;
  bool operator==(const AddressRange&) const = default;
};

/// The loaded bytes from an address to the end of what is loaded with it; empty: none are.
using LoadedBytes = std::function<std::string_view(std::uint64_t address)>;

/// The functions of a little-endian 64-bit object, in the order of the table (by address). A
/// compiler may have made several of one in the source. Empty: the table is of another kind than
/// linkers make, or damaged; what is damaged in the midst of it is left out.
std::vector<AddressRange> functions_by_unwind_table(std::uint64_t header_address,
                                                    const LoadedBytes& loaded);

}  // namespace roofmark::symbols

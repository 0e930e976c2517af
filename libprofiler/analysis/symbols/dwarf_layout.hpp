// Where the code of one function comes from, by its debug information.
#pragma once

#include <elfutils/libdwfl.h>

#include <analysis/symbols/object_symbols.hpp>
#include <vector>

namespace roofmark::symbols {

/// Finds the compilation unit of an address; those without an index of addresses too.
class Units {
 public:
  explicit Units(Dwfl_Module* module);

  struct Unit {
    Dwarf_Addr low = 0, high = 0;  ///< of one of its ranges, as its debug information has them
    Dwarf_Die die{};
    Dwarf_Addr bias = 0;  ///< what is to be added for the module's addresses
  };
  const Unit* find(Dwarf_Addr module_address) const;

 private:
  std::vector<Unit> units_;
};

/// A piece [first, end) of module addresses.
struct LinePiece {
  Dwarf_Addr first = 0, end = 0;
  std::string inlined, file;
  unsigned line = 0;
};

/// The pieces of the function that holds `address`, within [first, end).
std::vector<LinePiece> pieces_of(const Units& units, Dwarf_Addr first, Dwarf_Addr end);

}  // namespace roofmark::symbols

// Code that is not counted: what Roofmark itself brings into the program.
#pragma once

#include "valgrind.hpp"

namespace roofmark::emulator {

/// The code of a counted runtime that lies in the program's own executable.
void set_own_code(Addr first, Addr end);

/// Asked for one address after another of a block; addresses of one mapping are looked up once.
/// For the translation of one block: a mapping may be another one later.
class OwnCode {
 public:
  /// In the counted runtime, or in a mapping of a file that is called libroofmark-*.so.
  bool holds(Addr a);

 private:
  Addr first_ = 1;
  Addr last_ = 0;
  bool own_ = false;
};

}  // namespace roofmark::emulator

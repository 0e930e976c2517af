// Names of functions by their addresses, where the executable or library on disk still has them.
#pragma once

#include "text.hpp"

namespace roofmark::readers {

/// The symbol that begins at that address, else the object's name and the distance in it, which is
/// the same in every run: "solver+0x1140".
void name_of_function(const void* address, Text& name);

}  // namespace roofmark::readers

// Objects whose debug information could not be read to its end.
#pragma once

#include "valgrind.hpp"

namespace roofmark::emulator {

UInt unreadable_objects();

}  // namespace roofmark::emulator

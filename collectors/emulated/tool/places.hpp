// Totals per function and per source line over all threads and regions.
#pragma once

#include "json.hpp"

namespace roofmark::emulator {

void write_places(JsonLines& json);

}  // namespace roofmark::emulator

// The ceilings of a chart in characters.
#pragma once

#include "terminal_frame.hpp"

namespace roofmark::report {

void draw_ceilings(TerminalFrame& frame);
/// Where there is room: once the points are there.
void name_ceilings(TerminalFrame& frame);

}  // namespace roofmark::report

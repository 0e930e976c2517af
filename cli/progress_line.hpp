// One line on the terminal that tells how far something is: it replaces itself and leaves nothing
// behind.
#pragma once

#include <string>

#include "analysis/machine/measure.hpp"

namespace roofmark::cli {

/// Only a terminal gets a progress line.
bool has_progress_line();

/// Replaces the line; an empty one is taken away.
void show_progress(const std::string& line);

/// Shows how far the measurement of this machine is; nothing where there is no terminal.
MeasureProgress measuring_progress();

}  // namespace roofmark::cli

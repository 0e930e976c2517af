// What standard output, or another descriptor, is and can show.
#pragma once

namespace roofmark {

struct Terminal {
  bool is_terminal = false;
  unsigned width = 80, height = 24;
  bool utf8 = false;    ///< by the locale of the environment
  bool colour = false;  ///< a terminal that is not dumb, and NO_COLOR is not set
};

/// From the descriptor, COLUMNS, TERM, NO_COLOR and the locale variables.
Terminal terminal_of(int descriptor);
/// Of standard output.
Terminal terminal_of_output();

}  // namespace roofmark

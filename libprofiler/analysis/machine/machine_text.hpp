// A machine as a person reads it in a terminal.
#pragma once

#include <roofmark/machine.hpp>
#include <string>

namespace roofmark {

struct MachineTextOptions {
  unsigned width = 80;  ///< columns; the tables need 80
  bool utf8 = true;     ///< false: ASCII only
};

std::string render_machine_text(const Machine& machine, const MachineTextOptions& options = {});

}  // namespace roofmark

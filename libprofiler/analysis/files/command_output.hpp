// A command run for what it prints.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace roofmark {

struct CommandOutput {
  int no_room = 0;      ///< errno: there was no memory for its input and output
  int not_started = 0;  ///< errno: it could not be started
  int wait_status = 0;  ///< as waitpid has it
  std::string text;     ///< what it printed
};

enum class Messages { shown, hidden };

/// Runs the command, found by PATH where it has no slash, and waits for its end. It reads `input`.
/// Both ends are files in memory, so that neither waits for the other.
CommandOutput output_of(std::vector<std::string> command, std::string_view input,
                        Messages messages);

}  // namespace roofmark

#include "terminal.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <string_view>

#include "analysis/text/parsing.hpp"

namespace roofmark {
namespace {

std::string_view variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

bool utf8_locale() {
  // The first that is set decides, as setlocale has it.
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const std::string value = text::lowered(variable(name));
    if (value.empty()) continue;
    return value.find("utf-8") != std::string::npos || value.find("utf8") != std::string::npos;
  }
  return false;
}

unsigned columns_variable() {
  return text::whole_number<unsigned>(variable("COLUMNS")).value_or(0);
}

}  // namespace

Terminal terminal_of(int descriptor) {
  Terminal terminal;
  terminal.is_terminal = isatty(descriptor) == 1;
  terminal.utf8 = utf8_locale();
  terminal.colour = terminal.is_terminal && variable("NO_COLOR").empty() &&
                    variable("TERM") != "dumb" && !variable("TERM").empty();
  winsize size{};
  if (terminal.is_terminal && ioctl(descriptor, TIOCGWINSZ, &size) == 0) {
    if (size.ws_col > 0) terminal.width = size.ws_col;
    if (size.ws_row > 0) terminal.height = size.ws_row;
  }
  if (const unsigned given = columns_variable()) terminal.width = given;
  terminal.width = std::clamp(terminal.width, 60u, 400u);
  return terminal;
}

Terminal terminal_of_output() {
  return terminal_of(STDOUT_FILENO);
}

}  // namespace roofmark

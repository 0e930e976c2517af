#include "terminal.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdlib>
#include <string>
#include <string_view>

namespace roofmark {
namespace {

std::string_view variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

bool utf8_locale() {
  // The first that is set decides, as setlocale has it.
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    std::string value(variable(name));
    if (value.empty()) continue;
    std::transform(value.begin(), value.end(), value.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return value.find("utf-8") != std::string::npos || value.find("utf8") != std::string::npos;
  }
  return false;
}

unsigned columns_variable() {
  const std::string_view text = variable("COLUMNS");
  unsigned value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() ? value : 0;
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

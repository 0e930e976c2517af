// Pages in the language of man(7).
#include <algorithm>

#include "interface.hpp"

namespace roofmark::cli {
namespace {

/// A hyphen that is typed, a backslash that is one, and no line that begins with a command.
std::string roff(const std::string& text) {
  std::string safe;
  for (const char c : text) {
    if (c == '\\')
      safe += "\\e";
    else if (c == '-')
      safe += "\\-";
    else
      safe += c;
  }
  return !safe.empty() && (safe[0] == '.' || safe[0] == '\'') ? "\\&" + safe : safe;
}

std::string page_name(const std::string& command) {
  return command.empty() ? "roofmark" : "roofmark-" + command;
}

std::string head(const std::string& command, const std::string& version,
                 const std::string& description) {
  std::string title = page_name(command);
  for (char& c : title)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  return ".TH " + roff(title) + " 1 \"\" \"Roofmark " + roff(version) +
         "\" \"User Commands\"\n.SH NAME\n" + roff(page_name(command)) + " \\- " +
         roff(description) + "\n";
}

std::string synopsis(const Command& command) {
  std::string text = ".SH SYNOPSIS\n.B roofmark " + roff(command.name) + "\n[\\fIOPTIONS\\fR]";
  for (const Option& option : command.options)
    if (option.positional && !command.runs_target) {
      const std::string name = "\\fI" + roff(option.names.front()) + "\\fR";
      text += option.required ? " " + name + "..." : " [" + name + "...]";
    }
  if (command.runs_target) text += " \\-\\- \\fIPROGRAM\\fR [\\fIARGUMENTS\\fR]";
  return text + "\n";
}

std::string options_section(const Command& command) {
  std::string text = ".SH OPTIONS\n";
  for (const Option& option : command.options) {
    if (option.positional && command.runs_target) continue;
    text += ".TP\n";
    std::string names;
    for (const std::string& name : option.names)
      names += (names.empty() ? "" : ", ") + std::string("\\fB") + roff(name) + "\\fR";
    if (option.takes_value && !option.positional) {
      std::string value = option.takes_path ? "\\fIFILE\\fR" : "\\fIVALUE\\fR";
      if (!option.choices.empty()) {
        value.clear();
        for (const std::string& choice : option.choices)
          value += (value.empty() ? "" : "|") + std::string("\\fB") + roff(choice) + "\\fR";
      }
      names += " " + value;
    }
    text += names + "\n" + roff(option.description.empty() ? "-" : option.description) + "\n";
  }
  return text;
}

std::string exit_status(const Command& command) {
  const std::string own =
      command.runs_target
          ? "That of the program, its signal included; 125 where Roofmark could not start it, 126 "
            "where it is not executable, 127 where it was not found."
      : command.name == "compare"
          ? "0; 1 where a limit of \\fB\\-\\-fail\\-if\\fR holds; 2 for arguments or files that "
            "can't be used."
          : "0; 1 where the output can't be written; 2 for arguments or files that can't be used.";
  return ".SH EXIT STATUS\n" + own + "\n";
}

std::string see_also(const std::vector<Command>& commands, const std::string& but) {
  std::string text;
  if (!but.empty()) text = "\\fBroofmark\\fR(1)";
  for (const Command& command : commands)
    if (command.name != but)
      text += (text.empty() ? "" : ", ") + std::string("\\fBroofmark\\-") + roff(command.name) +
              "\\fR(1)";
  return ".SH SEE ALSO\n" + text + "\n";
}

}  // namespace

std::string manual_page(const std::vector<Command>& commands, const std::string& name,
                        const std::string& version) {
  if (name.empty()) {
    std::string text =
        head("", version, "how far each region of a program is from this machine's roof");
    text += ".SH SYNOPSIS\n.B roofmark\n\\fICOMMAND\\fR [\\fIOPTIONS\\fR]\n.SH COMMANDS\n";
    for (const Command& command : commands)
      text += ".TP\n\\fBroofmark\\-" + roff(command.name) + "\\fR(1)\n" +
              roff(command.description) + "\n";
    return text + see_also(commands, "");
  }
  const auto found = std::find_if(commands.begin(), commands.end(),
                                  [&](const Command& command) { return command.name == name; });
  if (found == commands.end()) return "";
  return head(name, version, found->description) + synopsis(*found) + options_section(*found) +
         exit_status(*found) + see_also(commands, name);
}

}  // namespace roofmark::cli

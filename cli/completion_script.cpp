// Completions for shells: commands, options, and what a value may be; files elsewhere.
#include <algorithm>

#include "interface.hpp"

namespace roofmark::cli {
namespace {

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

std::vector<std::string> names_of(const std::vector<Command>& commands) {
  std::vector<std::string> names;
  for (const Command& command : commands) names.push_back(command.name);
  return names;
}

std::vector<std::string> options_of(const Command& command) {
  std::vector<std::string> names;
  for (const Option& option : command.options)
    if (!option.positional) names.insert(names.end(), option.names.begin(), option.names.end());
  return names;
}

std::string pattern_of(const Option& option) {
  std::string text;
  for (const std::string& name : option.names) text += (text.empty() ? "" : "|") + name;
  return text;
}

/// In single quotes, as all three shells have them.
std::string quoted(const std::string& text) {
  std::string safe = "'";
  for (const char c : text) {
    if (c == '\'')
      safe += "'\\''";
    else
      safe += c;
  }
  return safe + "'";
}

std::string bash(const std::vector<Command>& commands) {
  std::string text =
      "# bash completion for roofmark\n"
      "_roofmark() {\n"
      "  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} i\n"
      "  COMPREPLY=()\n"
      "  if ((COMP_CWORD == 1)); then\n"
      "    COMPREPLY=($(compgen -W " +
      quoted(joined(names_of(commands)) + " --help --version") +
      " -- \"$word\"))\n"
      "    return\n"
      "  fi\n"
      "  # Behind -- stands a program with its own words.\n"
      "  for ((i = 2; i < COMP_CWORD; i++)); do\n"
      "    if [[ ${COMP_WORDS[i]} == -- ]]; then\n"
      "      if ((i + 1 == COMP_CWORD)); then COMPREPLY=($(compgen -c -- \"$word\")); fi\n"
      "      compopt -o default 2>/dev/null\n"
      "      return\n"
      "    fi\n"
      "  done\n"
      "  case ${COMP_WORDS[1]} in\n";
  for (const Command& command : commands) {
    text += "    " + command.name + ")\n      case $before in\n";
    for (const Option& option : command.options)
      if (!option.positional && !option.choices.empty())
        text += "        " + pattern_of(option) + ") COMPREPLY=($(compgen -W " +
                quoted(joined(option.choices)) + " -- \"$word\")); return ;;\n";
    text += "      esac\n      if [[ $word == -* ]]; then COMPREPLY=($(compgen -W " +
            quoted(joined(options_of(command))) + " -- \"$word\")); return; fi\n      ;;\n";
  }
  return text +
         "  esac\n"
         "  compopt -o default 2>/dev/null\n"
         "}\n"
         "complete -F _roofmark roofmark\n";
}

/// A description in zsh's form of an option: no bracket or colon ends it.
std::string zsh_text(const std::string& text) {
  std::string safe;
  for (const char c : text) {
    if (c == '[' || c == ']' || c == ':' || c == '\\') safe += '\\';
    safe += c;
  }
  return safe;
}

std::string zsh(const std::vector<Command>& commands) {
  std::string text =
      "#compdef roofmark\n"
      "_roofmark() {\n"
      "  local -a commands\n"
      "  commands=(\n";
  for (const Command& command : commands)
    text += "    " + quoted(command.name + ":" + zsh_text(command.description)) + "\n";
  text +=
      "  )\n"
      "  if (( CURRENT == 2 )); then _describe command commands; return; fi\n"
      "  case $words[2] in\n";
  for (const Command& command : commands) {
    text += "    " + command.name + ")\n      _arguments -S";
    for (const Option& option : command.options) {
      if (option.positional) continue;
      for (const std::string& name : option.names) {
        std::string spec = name + "[" + zsh_text(option.description) + "]";
        if (option.takes_value)
          spec +=
              option.choices.empty() ? ":value:_files" : ":value:(" + joined(option.choices) + ")";
        text += " \\\n        " + quoted("*" + spec);
      }
    }
    text += " \\\n        '*:file:_files'\n      ;;\n";
  }
  return text + "  esac\n}\n_roofmark \"$@\"\n";
}

std::string fish_quoted(const std::string& text) {
  std::string safe = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') safe += '\\';
    safe += c;
  }
  return safe + "'";
}

std::string fish(const std::vector<Command>& commands) {
  std::string text = "# fish completion for roofmark\n";
  for (const Command& command : commands)
    text += "complete -c roofmark -n __fish_use_subcommand -f -a " + command.name + " -d " +
            fish_quoted(command.description) + "\n";
  for (const Command& command : commands)
    for (const Option& option : command.options) {
      if (option.positional) continue;
      text += "complete -c roofmark -n '__fish_seen_subcommand_from " + command.name + "'";
      for (const std::string& name : option.names)
        text += name.rfind("--", 0) == 0 ? " -l " + name.substr(2) : " -s " + name.substr(1);
      if (option.takes_value) text += " -r";
      if (!option.choices.empty()) text += " -f -a " + fish_quoted(joined(option.choices));
      text += " -d " + fish_quoted(option.description) + "\n";
    }
  return text;
}

}  // namespace

std::string completion_script(const std::vector<Command>& commands, const std::string& shell) {
  if (shell == "bash") return bash(commands);
  if (shell == "zsh") return zsh(commands);
  if (shell == "fish") return fish(commands);
  return "";
}

}  // namespace roofmark::cli

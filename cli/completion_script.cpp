// Completions for shells: commands, options, and what a value may be; files where one is meant.
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
  names.reserve(commands.size());
  for (const Command& command : commands) names.push_back(command.name);
  return names;
}

std::vector<std::string> option_names(const Command& command) {
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

std::vector<const Option*> positionals_of(const Command& command) {
  std::vector<const Option*> all;
  for (const Option& option : command.options)
    if (option.positional) all.push_back(&option);
  return all;
}

/// "--level|-o|--output": what a word of its own follows.
std::string value_pattern(const Command& command) {
  std::string text;
  for (const Option& option : command.options)
    if (!option.positional && option.takes_value)
      text += (text.empty() ? "" : "|") + pattern_of(option);
  return text;
}

/// What stands where a word is of this kind: its choices, files, or nothing.
std::string bash_offer(const Option& option) {
  if (!option.choices.empty())
    return "COMPREPLY=($(compgen -W " + quoted(joined(option.choices)) + " -- \"$word\"))";
  return option.takes_path ? "compopt -o default 2>/dev/null" : ":";
}

std::string bash_positionals(const Command& command) {
  if (command.runs_target) return "      compopt -o default 2>/dev/null\n";
  const std::string values = value_pattern(command);
  std::string text =
      "      for ((i = 2; i < COMP_CWORD; i++)); do\n        case ${COMP_WORDS[i]} in\n";
  if (!values.empty()) text += "          " + values + ") ((i++)) ;;\n";
  text +=
      "          -?*) ;;\n          *) ((at++)) ;;\n        esac\n      done\n"
      "      case $at in\n";
  std::size_t at = 0;
  for (const Option* positional : positionals_of(command))
    text += "        " + (positional->repeats ? "*" : std::to_string(at++)) + ") " +
            bash_offer(*positional) + " ;;\n";
  return text + "      esac\n";
}

std::string bash(const std::vector<Command>& commands) {
  std::string text =
      "# bash completion for roofmark\n"
      "_roofmark() {\n"
      "  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} i at=0\n"
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
      if (!option.positional && option.takes_value)
        text += "        " + pattern_of(option) + ") " + bash_offer(option) + "; return ;;\n";
    text += "      esac\n      if [[ $word == -* ]]; then COMPREPLY=($(compgen -W " +
            quoted(joined(option_names(command))) + " -- \"$word\")); return; fi\n" +
            bash_positionals(command) + "      ;;\n";
  }
  return text +
         "  esac\n"
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

/// How zsh finds a word of this kind.
std::string zsh_action(const Option& option) {
  if (!option.choices.empty()) return "(" + joined(option.choices) + ")";
  return option.takes_path ? "_files" : " ";
}

std::string zsh_positionals(const Command& command) {
  const auto spec = [](const std::string& text) { return " \\\n        " + quoted(text); };
  if (command.runs_target) return spec("*:file:_files");
  std::string text;
  std::size_t at = 1;
  for (const Option* positional : positionals_of(command))
    text += spec((positional->repeats ? "*" : std::to_string(at++)) + ":" +
                 zsh_text(positional->names.front()) + ":" + zsh_action(*positional));
  return text;
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
      "  # Words are counted from the command on.\n"
      "  shift words\n"
      "  (( CURRENT-- ))\n"
      "  case $words[1] in\n";
  for (const Command& command : commands) {
    text += "    " + command.name + ")\n      _arguments -S";
    for (const Option& option : command.options) {
      if (option.positional) continue;
      for (const std::string& name : option.names) {
        std::string spec = name + "[" + zsh_text(option.description) + "]";
        if (option.takes_value) spec += ":value:" + zsh_action(option);
        text += " \\\n        " + quoted("*" + spec);
      }
    }
    text += zsh_positionals(command) + "\n      ;;\n";
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

/// Words of a command that are no options: their choices, files, or nothing.
std::string fish_positionals(const Command& command) {
  if (command.runs_target) return "";
  const std::string here = "complete -c roofmark -n '__fish_seen_subcommand_from " + command.name;
  std::string text;
  bool paths = false;
  for (const Option* positional : positionals_of(command)) {
    paths = paths || positional->takes_path;
    if (positional->choices.empty()) continue;
    const std::string words = joined(positional->choices);
    text += here;
    text +=
        "; and not __fish_seen_subcommand_from " + words + "' -f -a " + fish_quoted(words) + "\n";
  }
  return paths ? text : here + "' -f\n" + text;
}

std::string fish(const std::vector<Command>& commands) {
  std::string text = "# fish completion for roofmark\n";
  for (const Command& command : commands)
    text += "complete -c roofmark -n __fish_use_subcommand -f -a " + command.name + " -d " +
            fish_quoted(command.description) + "\n";
  for (const Command& command : commands) {
    text += fish_positionals(command);
    for (const Option& option : command.options) {
      if (option.positional) continue;
      text += "complete -c roofmark -n '__fish_seen_subcommand_from " + command.name + "'";
      for (const std::string& name : option.names)
        text += name.rfind("--", 0) == 0 ? " -l " + name.substr(2) : " -s " + name.substr(1);
      if (option.takes_value) text += option.takes_path ? " -r -F" : " -x";
      if (!option.choices.empty()) text += " -a " + fish_quoted(joined(option.choices));
      text += " -d " + fish_quoted(option.description) + "\n";
    }
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

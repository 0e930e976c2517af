// The command line as data: what manual pages and completions are made of.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace roofmark::cli {

struct Option {
  std::vector<std::string> names;  ///< "-o", "--output"; of a positional argument its name alone
  std::string description;
  bool takes_value = false;
  bool positional = false;
  bool required = false;
  bool repeats = false;              ///< of a positional argument: any number may follow
  bool takes_path = false;           ///< a file or a folder
  std::vector<std::string> choices;  ///< what the value may be; empty: anything
};

struct Command {
  std::string name, description;
  bool runs_target = false;  ///< a program with its arguments follows `--`
  std::vector<Option> options;
};

/// The commands as they were added, hidden ones left out.
std::vector<Command> interface_of(const CLI::App& app);

/// "{text,json}" as it stands in CLI11's name of a type.
std::vector<std::string> choices_in(const std::string& type_name);

/// `roofmark-record(1)` in the language of man; without a name, `roofmark(1)`. Empty: no such
/// command.
std::string manual_page(const std::vector<Command>& commands, const std::string& name,
                        const std::string& version);

/// For "bash", "zsh" or "fish"; empty for another word.
std::string completion_script(const std::vector<Command>& commands, const std::string& shell);

}  // namespace roofmark::cli

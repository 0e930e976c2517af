#include "interface.hpp"

namespace roofmark::cli {

std::vector<std::string> choices_in(const std::string& type_name) {
  std::vector<std::string> choices;
  const std::size_t open = type_name.find('{'), close = type_name.find('}');
  if (open == std::string::npos || close == std::string::npos || close < open) return choices;
  std::string one;
  for (std::size_t i = open + 1; i <= close; ++i) {
    if (type_name[i] != ',' && i != close) {
      one += type_name[i];
      continue;
    }
    if (!one.empty()) choices.push_back(one);
    one.clear();
  }
  return choices;
}

std::vector<Command> interface_of(const CLI::App& app) {
  std::vector<Command> commands;
  for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (sub->get_group().empty()) continue;
    Command command{sub->get_name(),
                    sub->get_description(),
                    sub->get_name() == "record" || sub->get_name() == "run",
                    {}};
    for (const CLI::Option* given : sub->get_options()) {
      if (given->get_group().empty()) continue;
      Option option;
      for (const std::string& name : given->get_snames()) option.names.push_back("-" + name);
      for (const std::string& name : given->get_lnames()) option.names.push_back("--" + name);
      option.positional = option.names.empty();
      if (option.positional) option.names.push_back(given->get_name(true));
      option.description = given->get_description();
      option.takes_value = given->get_type_size() != 0 && given->get_expected_max() != 0;
      option.required = given->get_required();
      option.repeats = given->get_expected_max() > 1;
      const std::string type = given->get_type_name();
      option.takes_path = type.starts_with("FILE") || type.starts_with("DIR");
      option.choices = choices_in(given->get_type_name());
      command.options.push_back(std::move(option));
    }
    commands.push_back(std::move(command));
  }
  return commands;
}

}  // namespace roofmark::cli

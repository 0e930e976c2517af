// `roofmark manual` and `roofmark completion`: what the build installs for man and for shells. They
// are in no list: nobody has to type them.
#include <memory>

#include "analysis/report/output.hpp"
#include "commands.hpp"
#include "interface.hpp"

namespace roofmark::cli {
namespace {

int print(const std::string& text) {
  const auto problem = write_standard_output(text);
  return problem ? say(*problem, failed) : 0;
}

}  // namespace

void add_describe_commands(CLI::App& app, int& status) {
  auto name = std::make_shared<std::string>();
  CLI::App* manual = app.add_subcommand("manual", "The manual page of a command, for man");
  manual->group("");
  manual->add_option("command", *name, "A command; without one, that of roofmark itself");
  manual->callback([&app, name, &status] {
    const std::string text = manual_page(interface_of(app), *name, ROOFMARK_VERSION);
    status = text.empty() ? say({"there is no such command", *name, "`roofmark --help` lists them"},
                                bad_input)
                          : print(text);
  });
  auto shell = std::make_shared<std::string>();
  CLI::App* completion = app.add_subcommand("completion", "Completions for a shell");
  completion->group("");
  completion->add_option("shell", *shell, "bash, zsh or fish")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));
  completion->callback(
      [&app, shell, &status] { status = print(completion_script(interface_of(app), *shell)); });
}

}  // namespace roofmark::cli

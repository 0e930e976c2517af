#include <roofmark/result.hpp>

#include "commands.hpp"

int main(int argc, char** argv) {
  CLI::App app{"Roofmark: how far each region of a program is from this machine's roof, and why"};
  app.name("roofmark");
  app.set_version_flag("--version", std::string("roofmark ") + ROOFMARK_VERSION);
  app.require_subcommand(0, 1);

  int status = 0;
  roofmark::cli::add_machine_command(app, status);
  roofmark::cli::add_report_command(app, status);
  roofmark::cli::add_chart_command(app, status);

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : roofmark::cli::bad_input;
  }
  if (app.get_subcommands().empty()) {
    std::cerr << app.help();
    return roofmark::cli::bad_input;
  }
  return status;
}

#include <unistd.h>

#include <analysis/record/output_file.hpp>
#include <analysis/record/own_rank.hpp>
#include <analysis/report/terminal.hpp>
#include <cstdio>
#include <memory>
#include <roofmark/report.hpp>

#include "commands.hpp"
#include "recorded_file.hpp"
#include "recording_session.hpp"

namespace roofmark::cli {
namespace {

/// The HTML page lies beside the profile: same name, other extension, and numbered rather than
/// overwritten, since nobody named it. Beside a device or a pipe (`-o /dev/null`) lies none.
void write_page(const Profile& profile, const std::filesystem::path& profile_file) {
  std::error_code unknown;
  if (!std::filesystem::is_regular_file(profile_file, unknown)) return;
  std::filesystem::path page = profile_file;
  if (page.extension() == ".html")
    page += ".html";  // the profile itself was given that name
  else
    page.replace_extension(".html");
  const std::filesystem::path folder =
      page.has_parent_path() ? page.parent_path() : std::filesystem::path(".");
  const auto claimed = claim_name(folder, page.stem().string(), ".html", ".html");
  const auto written = write_somewhere(claimed ? claimed->lexically_normal() : page,
                                       render_html(profile), fallback_directories());
  if (claimed && (!written || written->moved)) unlink(claimed->c_str());
  if (!written)
    return tell("The page could not be written: " + to_line(written.error()) +
                "; profile: " + profile_file.string());
  if (written->moved)
    tell("The page went to " + written->path.string() + ": " + to_line(*written->moved) + ".");
  tell("Chart and table: " + written->path.string() + "; profile: " + profile_file.string());
}

}  // namespace

void add_run_command(CLI::App& app, const std::vector<std::string>& target) {
  CLI::App* command = app.add_subcommand("run",
                                         "Run a program and report how far its regions are from "
                                         "the roof, and why: record, then report");
  auto arguments = std::make_shared<RecordingArguments>();
  add_recording_options(*command, *arguments);
  command->callback([command, arguments, target] {
    arguments->target = target_of(*command, target);
    arguments->rank = own_rank(arguments->target);
    const Session session = record_and_write(*arguments);
    // A report of one rank is not what was asked for, and one of all can't be made before the last
    // has ended.
    if (arguments->rank) {
      tell_of_ranks(*arguments);
      end_as(session.recording.end);
    }
    // On stderr, as `perf stat` has it: stdout is the program's own.
    const Terminal terminal = terminal_of(STDERR_FILENO);
    TextOptions options;
    options.width = terminal.width;
    options.utf8 = terminal.utf8;
    options.colour = terminal.colour;
    end_at_shortage(session, [&] {
      const std::string text = render_text(session.recording.profile, options);
      std::fputs(text.c_str(), stderr);
      if (!session.file.empty()) write_page(session.recording.profile, session.file);
    });
    end_as(session.recording.end);
  });
}

}  // namespace roofmark::cli

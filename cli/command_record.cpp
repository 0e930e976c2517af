#include <analysis/record/own_rank.hpp>
#include <memory>

#include "commands.hpp"
#include "recorded_file.hpp"
#include "recording_session.hpp"

namespace roofmark::cli {

void add_record_command(CLI::App& app, const std::vector<std::string>& target) {
  CLI::App* command = app.add_subcommand(
      "record",
      "Run a program and write what was measured of it: time natively, counts in a second run");
  auto arguments = std::make_shared<RecordingArguments>();
  add_recording_options(*command, *arguments);
  command->callback([command, arguments, target] {
    arguments->target = target_of(*command, target);
    arguments->rank = own_rank(arguments->target);
    const Session session = record_and_write(*arguments);
    if (arguments->rank)
      tell_of_ranks(*arguments);
    else if (!session.file.empty() && arguments->output.empty())
      tell("Recorded to " + session.file.string() + "; `roofmark report " + session.file.string() +
           "` shows it.");
    end_as(session.recording.end);
  });
}

}  // namespace roofmark::cli

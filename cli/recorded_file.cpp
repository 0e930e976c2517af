#include "recorded_file.hpp"

#include <unistd.h>

#include <algorithm>
#include <analysis/profile/profile_json.hpp>
#include <string>

#include "commands.hpp"

namespace roofmark::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* default_stem = "out.roofmark";

/// Every rank of a job gets a file of its own in the folder that -o names.
bool is_named(const RecordingArguments& arguments) {
  return !arguments.output.empty() && !arguments.rank;
}

/// "rank-03.roofmark": in the order of the ranks when they are listed.
std::string rank_stem(const JobRanks& job) {
  const std::string number = std::to_string(job.rank.value_or(0));
  const std::size_t width = std::to_string(job.size - 1).size();
  return "rank-" + std::string(width - std::min(width, number.size()), '0') + number + ".roofmark";
}

/// The name that the profile gets.
Result<fs::path> choose_file(const RecordingArguments& arguments) {
  if (is_named(arguments)) return fs::path(arguments.output);
  std::error_code unknown;  // claim_name says why
  const fs::path folder = arguments.rank ? folder_of_ranks(arguments) : ".";
  if (arguments.rank) fs::create_directories(folder, unknown);
  const std::string stem = arguments.rank ? rank_stem(*arguments.rank) : default_stem;
  auto here = claim_name(folder, stem, ".json", ".html");
  if (here) return here->lexically_normal();
  for (const fs::path& directory : fallback_directories())
    if (auto elsewhere = claim_name(directory, stem, ".json", ".html")) {
      tell("The recording goes to " + elsewhere->string() + " (" + to_line(here.error()) + ").");
      return elsewhere;
    }
  return here;
}

}  // namespace

void RecordedFile::write_times(const Profile& profile) {
  if (is_named(arguments_) && !is_replaceable(arguments_.output)) return;
  if (!choose()) return;
  const auto written = write_somewhere(*path_, to_json(profile), fallback_directories());
  if (written)
    place(*written);
  else
    give_name_back();
}

fs::path RecordedFile::write(const Profile& profile) {
  if (auto chosen = choose(); !chosen) {
    leave(chosen.error());
    return {};
  }
  const auto written = write_somewhere(*path_, to_json(profile), fallback_directories());
  if (written) {
    place(*written);
    return *path_;
  }
  leave(written.error());
  // Nothing is to be made of the counts that would not agree with the times that are there.
  if (!has_times_) give_name_back();
  return {};
}

void RecordedFile::leave(const Problem& problem) {
  const std::string left =
      has_times_ ? " (" + path_->string() + " holds the times without the counts)" : "";
  tell("The recording could not be written: " + to_line(problem) + left + ".");
}

Result<fs::path> RecordedFile::choose() {
  if (path_) return *path_;
  auto chosen = choose_file(arguments_);
  if (chosen) path_ = *chosen;
  return chosen;
}

void RecordedFile::give_name_back() {
  if (has_times_ || !is_named(arguments_)) unlink(path_->c_str());
  path_.reset();
  has_times_ = false;
}

void RecordedFile::place(const Written& written) {
  if (written.moved) {
    tell("The recording went to " + written.path.string() + ": " + to_line(*written.moved) + ".");
    give_name_back();
  }
  path_ = written.path;
  has_times_ = true;
}

fs::path trace_file(const RecordingArguments& arguments) {
  fs::path file = arguments.trace;
  if (arguments.rank) {
    const fs::path end = file.extension();
    file.replace_extension();
    file += "-" + fs::path(rank_stem(*arguments.rank)).stem().string();
    file += end;
  }
  return file;
}

void write_trace(const Trace& trace, const Profile* judged, const fs::path& file) {
  const bool any = std::any_of(trace.processes.begin(), trace.processes.end(), [](const auto& one) {
    return !one.visits.empty() || !one.open.empty();
  });
  if (!any) return;
  std::error_code ignored;
  if (judged == nullptr && fs::exists(file, ignored) && !fs::is_regular_file(file, ignored)) return;
  if (const auto problem = write_file(file.string(), render_trace_events(trace, judged)))
    tell((judged == nullptr ? "There is no trace: " : "The trace has no verdicts: ") +
         to_line(*problem) + ".");
}

fs::path folder_of_ranks(const RecordingArguments& arguments) {
  return arguments.output.empty() ? fs::path(default_stem) : fs::path(arguments.output);
}

void tell_of_ranks(const RecordingArguments& arguments) {
  if (arguments.rank->rank != 0U) return;
  const std::string folder = folder_of_ranks(arguments).string();
  tell("Every rank is recorded to a file of its own in " + folder + "; `roofmark merge " + folder +
       "` makes one profile of them.");
}

}  // namespace roofmark::cli

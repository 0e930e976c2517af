// Where a recording lies on disk: the profile, the trace, and those of a job's ranks.
#pragma once

#include <analysis/record/output_file.hpp>
#include <analysis/trace/trace.hpp>
#include <filesystem>
#include <optional>
#include <roofmark/profile.hpp>
#include <roofmark/result.hpp>

#include "recording_arguments.hpp"

namespace roofmark::cli {

/// The profile on disk: first the times alone, so that a recorder that is killed leaves them, then
/// all of it in their place.
class RecordedFile {
 public:
  explicit RecordedFile(const RecordingArguments& arguments) : arguments_(arguments) {}

  /// What fails here is tried again, and told, in the end.
  void write_times(const Profile& profile);
  /// Where all of it went; empty: nowhere, and that was told.
  std::filesystem::path write(const Profile& profile);
  /// What was written stays as it is.
  void leave(const Problem& problem);

 private:
  Result<std::filesystem::path> choose();
  /// Removes what lies at the chosen name and is ours: the empty file that kept a default name
  /// free, or the times that something better replaces elsewhere.
  void give_name_back();
  void place(const Written& written);

  const RecordingArguments& arguments_;
  std::optional<std::filesystem::path> path_;
  bool has_times_ = false;
};

/// The file that `--trace` names, of a rank its own: "x.json" -> "x-rank-03.json".
std::filesystem::path trace_file(const RecordingArguments& arguments);

/// Once after the timed run, so that it is there whatever comes later, and again with the verdicts.
/// What reads from a pipe would see two documents: it gets the second.
void write_trace(const Trace& trace, const Profile* judged, const std::filesystem::path& file);

/// Where the files of a job's ranks go.
std::filesystem::path folder_of_ranks(const RecordingArguments& arguments);

/// What becomes of them; said by one rank for all.
void tell_of_ranks(const RecordingArguments& arguments);

}  // namespace roofmark::cli

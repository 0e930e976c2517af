// What `record` and `run` share: the way from a command line to a written profile.
#pragma once

#include <analysis/record/record.hpp>
#include <filesystem>
#include <functional>

#include "recording_arguments.hpp"

namespace roofmark::cli {

/// A finished recording: judged, and on disk where that was possible.
struct Session {
  Recording recording;
  std::filesystem::path file;  ///< empty: it could not be written anywhere
};

/// Records, measures the machine and writes the profile. Says on stderr what the user should know.
/// Does not return when the target could not be started.
Session record_and_write(const RecordingArguments& arguments);

/// Does what is left to do when the target has ended. Where there is no memory for it: one line,
/// and the end that the target had.
void end_at_shortage(const Session& session, const std::function<void()>& work);

}  // namespace roofmark::cli

#include "recording_session.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <analysis/profile/repeats.hpp>
#include <analysis/record/attach.hpp>
#include <analysis/record/shortage.hpp>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <roofmark/roofline.hpp>

#include "commands.hpp"
#include "record_options.hpp"
#include "recorded_file.hpp"

namespace roofmark::cli {
namespace {

/// Fills in where the regions stand, or says that no ceilings were to be used: there may be some.
void judge_as_told(const RecordingArguments& arguments, Profile& profile) {
  if (arguments.no_machine)
    profile.notes.push_back("No roof: it was recorded with --no-machine, which uses no ceilings.");
  else
    judge(profile);
}

/// Back to where the program's input began, where that can be.
class RepeatedInput {
 public:
  RepeatedInput() : start_(lseek(STDIN_FILENO, 0, SEEK_CUR)) {
    struct stat status {};
    is_pipe_ =
        fstat(STDIN_FILENO, &status) == 0 && (S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode));
  }
  bool is_pipe() const { return is_pipe_; }
  void rewind() const {
    if (start_ >= 0) lseek(STDIN_FILENO, start_, SEEK_SET);
  }

 private:
  off_t start_;
  bool is_pipe_ = false;
};

/// The timed runs before the one that is counted too. A run that fails ends them: what it left is
/// the recording then.
struct Repeats {
  std::vector<Profile> runs;
  std::optional<Recording> failed;
};
Repeats repeat(const RecordingArguments& arguments, const RecordOptions& last) {
  Repeats repeats;
  const RepeatedInput input;
  if (arguments.repeat > 1 && input.is_pipe())
    std::exit(say({"the program's input is a pipe, which only one run could read", "--repeat",
                   "give it a file: roofmark record --repeat N -- PROGRAM < FILE"},
                  not_started));
  for (unsigned run = 1; run < arguments.repeat; ++run) {
    RecordOptions options = last;
    options.counters = "none";
    options.papi_events.clear();
    options.measure = {};
    options.keep = {};
    options.trace_visits = 0;
    if (options.progress) options.progress(fmt::format("run {} of {}", run, arguments.repeat));
    Recording recording = record(options);
    if (options.progress) options.progress("");
    if (recording.not_started || recording.end.shell_status() != 0) {
      if (!recording.not_started)
        tell(fmt::format("Run {} of {} ended with status {}: it is the last, and is not counted.",
                         run, arguments.repeat, recording.end.shell_status()));
      repeats.failed = std::move(recording);
      return repeats;
    }
    repeats.runs.push_back(std::move(recording.profile));
    input.rewind();
  }
  return repeats;
}

Recording record_as_told(const RecordingArguments& arguments, const RecordOptions& options) {
  if (arguments.process == 0) return record(options);
  return record_process(attach_options(arguments, options));
}

}  // namespace

void end_at_shortage(const Session& session, const std::function<void()>& work) {
  try {
    work();
  } catch (const std::exception& error) {
    tell(to_line(shortage(error)) + ".");
    end_as(session.recording.end);
  }
}

Session record_and_write(const RecordingArguments& arguments) {
  if (const auto problem = target_problem(arguments)) std::exit(say(*problem, not_started));
  if (const auto problem = output_problem(arguments)) std::exit(say(*problem, not_started));
  RecordedFile file(arguments);
  RecordOptions options = record_options(arguments);
  options.keep = [&](Profile times) {
    judge_as_told(arguments, times);
    file.write_times(times);
  };
  Session session;
  Repeats repeats = repeat(arguments, options);
  if (options.trace_visits > 0)
    options.keep_trace = [&, trace_is = trace_file(arguments)](const Trace& trace,
                                                               const Profile* joined) {
      if (joined == nullptr) return write_trace(trace, nullptr, trace_is);
      Profile judged = *joined;
      add_repeats(judged, repeats.runs);
      judge_as_told(arguments, judged);
      write_trace(trace, &judged, trace_is);
    };
  session.recording =
      repeats.failed ? std::move(*repeats.failed) : record_as_told(arguments, options);
  const Recording& recording = session.recording;
  if (recording.not_started) {
    tell(to_line(*recording.not_started));
    end_as(recording.end);
  }
  // From here on the program's results are what counts: a closed pipe of ours must not end us, nor
  // a limit on the size of files.
  for (const int number : {SIGPIPE, SIGXFSZ}) std::signal(number, SIG_IGN);
  Profile& profile = session.recording.profile;
  end_at_shortage(session, [&] {
    if (recording.not_joined) return file.leave(*recording.not_joined);
    add_repeats(profile, repeats.runs);
    judge_as_told(arguments, profile);
    // Once: what reads from a pipe would see two documents.
    session.file = file.write(profile);
  });
  return session;
}

}  // namespace roofmark::cli

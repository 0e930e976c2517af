#include <dirent.h>
#include <fcntl.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <analysis/record/isolation.hpp>
#include <analysis/record/tell.hpp>
#include <cerrno>
#include <csignal>
#include <cstdlib>

namespace roofmark {
namespace {

/// What the target finds open besides the three standard descriptors was opened by whoever started
/// the command. It keeps its number, but a second run must not write to it.
void disarm_inherited_descriptors(int null) {
  std::vector<int> open;
  if (DIR* directory = opendir("/proc/self/fd")) {
    while (const dirent* entry = readdir(directory)) {
      const int fd = std::atoi(entry->d_name);
      if (entry->d_name[0] != '.' && fd > STDERR_FILENO && fd != dirfd(directory))
        open.push_back(fd);
    }
    closedir(directory);
  }
  for (const int fd : open) {
    const int descriptor_flags = fcntl(fd, F_GETFD);
    const int status_flags = fcntl(fd, F_GETFL);
    if (descriptor_flags < 0 || status_flags < 0 || (descriptor_flags & FD_CLOEXEC) != 0) continue;
    if ((status_flags & O_ACCMODE) != O_RDONLY) dup2(null, fd);
  }
}

/// In the child. The pass has a session of its own: nothing typed or signalled at the terminal
/// reaches it, it can't prompt there, and it can be ended with all that it started.
int prepare_counted(int standard_input, int null, const OverlayOptions* overlay) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  setsid();
  if (dup2(standard_input, STDIN_FILENO) < 0 || dup2(null, STDOUT_FILENO) < 0 ||
      dup2(null, STDERR_FILENO) < 0)
    return errno;
  disarm_inherited_descriptors(null);
  if (overlay != nullptr && !enter_overlay(*overlay).empty()) return errno != 0 ? errno : EPERM;
  return 0;
}

/// Says, before the pass, what it may do to the user's files. Returns whether an overlay is used.
bool announce_isolation(const RecordOptions& options, const OverlayOptions& overlay,
                        std::vector<std::string>& notes) {
  const OverlayTrial trial = try_overlay(overlay);
  if (trial.refused) {
    const std::string text =
        "A further run works on your files themselves, since this system refuses a private "
        "overlay (" +
        trial.refused->reason + "): what the program writes is written twice. --once avoids it.";
    tell(options, text);
    notes.push_back(text);
    return false;
  }
  if (!trial.exposed.empty()) {
    std::string list;
    for (const std::string& point : trial.exposed) list += (list.empty() ? "" : ", ") + point;
    const std::string text =
        "A further run's changes to files directly in these places are not undone: " + list + ".";
    tell(options, text);
    notes.push_back(text);
  }
  return true;
}

}  // namespace

Isolation::Isolation(const RecordOptions& options, const std::filesystem::path& shared,
                     std::vector<std::string>& notes)
    : options_(options),
      overlay_options_{{shared}},
      overlay_(announce_isolation(options, overlay_options_, notes)),
      null_(open("/dev/null", O_RDWR | O_CLOEXEC)) {}

std::optional<double> Isolation::deadline_s() const {
  if (options_.budget_s) return options_.budget_s;
  // Ending it early would leave half-written files where nothing hides them.
  return overlay_ ? std::optional<double>(default_budget_s) : std::nullopt;
}

int Isolation::enter(int standard_input) const {
  return prepare_counted(standard_input, null_.get(), overlay_ ? &overlay_options_ : nullptr);
}

}  // namespace roofmark

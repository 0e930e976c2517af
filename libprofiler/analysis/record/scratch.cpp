#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <analysis/files/leftovers.hpp>
#include <analysis/record/processes.hpp>
#include <analysis/record/scratch.hpp>
#include <cerrno>
#include <collectors/emulated/plan.hpp>
#include <cstdlib>
#include <cstring>
#include <optional>

namespace roofmark {
namespace {

namespace fs = std::filesystem;

/// Room that a recording should find: the arenas of a program with some dozen threads.
constexpr off_t wanted_bytes = 8 << 20;
/// With a limit on the sizes of files it has less, and folds what has no room into `(other)`. This
/// is the least that holds any region.
constexpr off_t least_bytes = 256 << 10;

std::optional<off_t> file_size_limit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return std::nullopt;
  return static_cast<off_t>(std::min<rlim_t>(limit.rlim_cur, wanted_bytes));
}

constexpr const char* prefix = "roofmark-scratch-";

/// Why no recording fits below `base`, or an empty string.
std::string unfit(const fs::path& directory) {
  const std::string network = network_file_system(directory);
  if (!network.empty()) return "it is on " + network;
  const off_t room = file_size_limit().value_or(wanted_bytes);
  if (room < least_bytes) return "files are limited to " + std::to_string(room / 1024) + " KiB";
  const std::string probe = (directory / "probe").string();
  Descriptor file(open(probe.c_str(), O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0600));
  if (!file) return std::strerror(errno);
  const int error = posix_fallocate(file.get(), 0, room);
  unlink(probe.c_str());
  return error == 0 ? "" : std::strerror(error);
}

/// The processes that a killed recorder's counted run had started, which nobody waits for.
void end_counted_run(const fs::path& scratch) {
  end_processes_with(emulated::output_argument(scratch / counts_directory), 0, 0);
}

/// A new directory below `base` that is held by `lock`, or an empty path and an error.
fs::path make_held(const fs::path& base, Descriptor& lock) {
  constexpr int most_attempts = 100;
  for (int i = 0; i < most_attempts; ++i) {
    std::string name = (base / (std::string(prefix) + "XXXXXX")).string();
    if (mkdtemp(name.data()) == nullptr) return {};
    lock = Descriptor(open(name.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    const int error = errno;
    if (lock && hold(lock.get(), name)) return name;
    if (lock || error == ENOENT) continue;  // somebody took it for a leftover
    rmdir(name.c_str());
    errno = error;
    return {};
  }
  errno = EBUSY;
  return {};
}

}  // namespace

Result<Scratch> Scratch::create(const std::vector<fs::path>& candidates) {
  std::vector<fs::path> bases;
  for (const fs::path& candidate : candidates) {
    std::error_code unknown;
    bases.push_back(fs::absolute(candidate, unknown));
    if (!unknown) remove_leftovers(bases.back(), prefix, "", end_counted_run);
  }
  std::string reasons;
  for (const fs::path& base : bases) {
    Descriptor lock;
    const fs::path made = make_held(base, lock);
    std::string reason;
    if (made.empty()) {
      reason = std::strerror(errno);
    } else {
      Scratch scratch(made, std::move(lock));
      reason = unfit(scratch.path());
      if (reason.empty()) return scratch;
    }
    reasons += (reasons.empty() ? "" : ", ") + base.string() + " (" + reason + ")";
  }
  return tl::unexpected(
      Problem{"no directory can hold a recording: " + reasons, "",
              file_size_limit().value_or(wanted_bytes) < least_bytes
                  ? "raise the limit on the sizes of files: ulimit -f unlimited"
                  : "set TMPDIR to a writable directory on a local disk with 8 MiB free"});
}

std::vector<fs::path> Scratch::usual_candidates() {
  std::vector<fs::path> candidates;
  const auto add_variable = [&](const char* variable) {
    if (const char* value = std::getenv(variable); value != nullptr && *value != '\0')
      candidates.emplace_back(value);
  };
  add_variable("TMPDIR");
  candidates.emplace_back("/dev/shm");
  add_variable("XDG_RUNTIME_DIR");
  candidates.insert(candidates.end(), {"/tmp", "/var/tmp", "."});
  return candidates;
}

Scratch::Scratch(Scratch&& other) noexcept
    : path_(std::move(other.path_)), lock_(std::move(other.lock_)) {
  other.path_.clear();
}

Scratch::~Scratch() {
  if (path_.empty()) return;
  // There may be no other descriptor. Who takes it for a leftover from here on does the same.
  lock_.close();
  remove_tree(path_);
}

Problem without_place(Problem problem) {
  if (problem.where.starts_with('/')) problem.where = fs::path(problem.where).filename().string();
  return problem;
}

Result<fs::path> Scratch::subdirectory(const std::string& name) const {
  const fs::path directory = path_ / name;
  if (mkdir(directory.c_str(), 0700) != 0)
    return tl::unexpected(
        Problem{"no directory for the " + name + " could be made: " + std::strerror(errno), "",
                "set TMPDIR to a writable directory on a local disk"});
  return directory;
}

}  // namespace roofmark

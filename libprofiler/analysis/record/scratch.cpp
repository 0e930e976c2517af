#include <fcntl.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <arena/network_file_systems.h>
#include <analysis/files/descriptor.hpp>
#include <analysis/record/scratch.hpp>
#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace roofmark {
namespace {

namespace fs = std::filesystem;

/// Room that a recording should find: the arenas of a program with some dozen threads.
constexpr off_t wanted_bytes = 8 << 20;

struct NetworkSystem {
  unsigned long magic;
  const char* name;
};

constexpr NetworkSystem network_systems[] = {
#define ROOFMARK_NAMED(magic, name) {magic, name},
    ROOFMARK_NETWORK_FILE_SYSTEMS(ROOFMARK_NAMED)
#undef ROOFMARK_NAMED
};

/// Why no recording fits below `base`, or an empty string.
std::string unfit(const fs::path& directory) {
  const std::string network = network_file_system(directory);
  if (!network.empty()) return "it is on " + network;
  const std::string probe = (directory / "probe").string();
  Descriptor file(open(probe.c_str(), O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0600));
  if (!file) return std::strerror(errno);
  const int error = posix_fallocate(file.get(), 0, wanted_bytes);
  unlink(probe.c_str());
  return error == 0 ? "" : std::strerror(error);
}

}  // namespace

std::string network_file_system(const fs::path& directory) {
  struct statfs status {};
  if (statfs(directory.c_str(), &status) != 0) return "";
  const auto magic = static_cast<unsigned long>(status.f_type) & 0xFFFFFFFFUL;
  for (const NetworkSystem& system : network_systems)
    if (system.magic == magic) return system.name;
  return "";
}

Result<Scratch> Scratch::create(const std::vector<fs::path>& candidates) {
  std::string reasons;
  for (const fs::path& candidate : candidates) {
    std::error_code unknown;
    const fs::path base = fs::absolute(candidate, unknown);
    std::string reason;
    std::string name = (base / "roofmark-XXXXXX").string();
    if (unknown)
      reason = unknown.message();
    else if (mkdtemp(name.data()) == nullptr)
      reason = std::strerror(errno);
    else {
      Scratch scratch{fs::path(name)};
      reason = unfit(scratch.path());
      if (reason.empty()) return scratch;
    }
    reasons += (reasons.empty() ? "" : ", ") + candidate.string() + " (" + reason + ")";
  }
  return tl::unexpected(
      Problem{"no directory can hold a recording: " + reasons, "",
              "set TMPDIR to a writable directory on a local disk with 8 MiB free"});
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

Scratch::Scratch(Scratch&& other) noexcept : path_(std::move(other.path_)) {
  other.path_.clear();
}

Scratch::~Scratch() {
  if (path_.empty()) return;
  std::error_code ignored;  // a directory that is left behind is no reason to fail a recording
  fs::remove_all(path_, ignored);
}

Result<fs::path> Scratch::subdirectory(const std::string& name) const {
  const fs::path directory = path_ / name;
  if (mkdir(directory.c_str(), 0700) != 0)
    return tl::unexpected(Problem{std::strerror(errno), directory.string(), ""});
  return directory;
}

}  // namespace roofmark

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <analysis/record/descriptor.hpp>
#include <analysis/record/output_file.hpp>
#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace roofmark {
namespace {

namespace fs = std::filesystem;

constexpr int most_names = 10000;

Problem failure(const fs::path& path) {
  return {std::strerror(errno), path.string(), "choose another place with -o FILE"};
}

bool write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(fd, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

}  // namespace

std::optional<Problem> write_file(const fs::path& path, std::string_view text) {
  struct stat status {};
  if (stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode)) {
    Descriptor fd(open(path.c_str(), O_WRONLY | O_CLOEXEC));
    if (!fd || !write_all(fd.get(), text)) return failure(path);
    return std::nullopt;
  }
  // Through a symbolic link, so that the link stays one.
  std::error_code unresolved;
  const fs::path resolved = fs::weakly_canonical(path, unresolved);
  const fs::path target = unresolved ? path : resolved;
  std::string temporary = target.string() + ".XXXXXX";
  Descriptor fd(mkostemp(temporary.data(), O_CLOEXEC));
  if (!fd) return failure(path);
  const mode_t mask = umask(0);
  umask(mask);
  fchmod(fd.get(), 0666 & ~mask);
  const bool whole = write_all(fd.get(), text) && fsync(fd.get()) == 0 &&
                     rename(temporary.c_str(), target.c_str()) == 0;
  if (whole) return std::nullopt;
  const Problem problem = failure(path);
  unlink(temporary.c_str());
  return problem;
}

Result<fs::path> claim_name(const fs::path& directory, const std::string& stem,
                            const std::string& extension, const std::string& sibling) {
  for (int number = 1; number <= most_names; ++number) {
    const std::string name = stem + (number > 1 ? "-" + std::to_string(number) : "");
    const fs::path path = directory / (name + extension);
    if (!sibling.empty() && access((directory / (name + sibling)).c_str(), F_OK) == 0) continue;
    Descriptor fd(open(path.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0666));
    if (fd) return path;
    if (errno != EEXIST) return tl::unexpected(failure(path));
  }
  return tl::unexpected(
      Problem{"all names up to number " + std::to_string(most_names) + " are taken",
              (directory / (stem + extension)).string(), "remove old recordings"});
}

Result<Written> write_somewhere(const fs::path& wanted, std::string_view text,
                                const std::vector<fs::path>& fallbacks) {
  const auto problem = write_file(wanted, text);
  if (!problem) return Written{wanted, std::nullopt};
  const std::string extension = wanted.extension().string();
  for (const fs::path& directory : fallbacks) {
    const auto name = claim_name(directory, wanted.stem().string(), extension, "");
    if (!name) continue;
    if (!write_file(*name, text)) return Written{*name, problem};
    unlink(name->c_str());
  }
  return tl::unexpected(*problem);
}

std::vector<fs::path> fallback_directories() {
  std::vector<fs::path> directories;
  if (const char* variable = std::getenv("TMPDIR"); variable != nullptr && *variable != '\0')
    directories.emplace_back(variable);
  directories.insert(directories.end(), {"/tmp", "/var/tmp", "/dev/shm"});
  return directories;
}

}  // namespace roofmark

#include <fcntl.h>
#include <unistd.h>

#include <analysis/files/descriptor.hpp>
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

}  // namespace

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

bool is_replaceable(const fs::path& path) {
  constexpr int most_links = 40;  // as the kernel has it
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (status.type() != fs::file_type::regular && status.type() != fs::file_type::not_found)
    return false;
  fs::path at = path;
  for (int i = 0; i < most_links; ++i) {
    const fs::path folder = fs::canonical(at.has_parent_path() ? at.parent_path() : ".", error);
    if (error || *std::next(folder.begin(), folder == "/" ? 0 : 1) == "proc") return false;
    if (!fs::is_symlink(at, error)) return true;
    at = folder / fs::read_symlink(at, error);  // an absolute one replaces what is before it
    if (error) return false;
  }
  return false;
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

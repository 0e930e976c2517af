#include <arena/network_file_systems.h>
#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <analysis/files/descriptor.hpp>
#include <analysis/files/leftovers.hpp>
#include <cerrno>
#include <vector>

namespace roofmark {
namespace {

namespace fs = std::filesystem;

struct NetworkSystem {
  unsigned long magic;
  const char* name;
};

constexpr NetworkSystem network_systems[] = {
#define ROOFMARK_NAMED(magic, name) {magic, name},
    ROOFMARK_NETWORK_FILE_SYSTEMS(ROOFMARK_NAMED)
#undef ROOFMARK_NAMED
};

/// The entries' names. The directory is open no longer when they are returned.
std::vector<std::string> names_in(const fs::path& directory) {
  std::vector<std::string> names;
  DIR* const handle = opendir(directory.c_str());
  if (handle == nullptr) return names;
  while (const dirent* entry = readdir(handle)) {
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") names.emplace_back(name);
  }
  closedir(handle);
  return names;
}

/// Whether the path still leads to what is open.
bool is_at(int descriptor, const fs::path& path) {
  struct stat ours {};
  struct stat there {};
  return fstat(descriptor, &ours) == 0 && lstat(path.c_str(), &there) == 0 &&
         ours.st_dev == there.st_dev && ours.st_ino == there.st_ino;
}

void remove_if_left(const fs::path& path, const std::function<void(const fs::path&)>& found) {
  // Never waits: a pipe of that name may have no writer.
  Descriptor fd(open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat status {};
  if (!fd || fstat(fd.get(), &status) != 0 || status.st_uid != geteuid()) return;
  const bool is_directory = S_ISDIR(status.st_mode);
  if (!is_directory && !S_ISREG(status.st_mode)) return;
  if (flock(fd.get(), LOCK_EX | LOCK_NB) != 0 || !is_at(fd.get(), path)) return;
  if (found) found(path);
  if (is_directory)
    remove_tree(path);
  else
    unlink(path.c_str());
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

bool hold(int descriptor, const fs::path& path) {
  // Locked by another: it is being removed. Where a file system has no locks nothing is taken for a
  // leftover either.
  if (flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) return false;
  return is_at(descriptor, path);
}

void remove_leftovers(const fs::path& directory, std::string_view prefix, std::string_view suffix,
                      const std::function<void(const fs::path&)>& found) {
  if (!network_file_system(directory).empty()) return;
  for (const std::string& name : names_in(directory))
    if (name.size() > prefix.size() + suffix.size() && name.starts_with(prefix) &&
        name.ends_with(suffix))
      remove_if_left(directory / name, found);
}

void remove_tree(const fs::path& directory) {
  for (const std::string& name : names_in(directory)) {
    const fs::path path = directory / name;
    struct stat status {};
    if (lstat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode))
      remove_tree(path);
    else
      unlink(path.c_str());
  }
  rmdir(directory.c_str());
}

}  // namespace roofmark

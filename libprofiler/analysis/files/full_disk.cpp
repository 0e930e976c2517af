#include "analysis/files/full_disk.hpp"

#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

namespace roofmark {
namespace {

/// What cannot be written in whole leaves less than this.
constexpr unsigned long long least_bytes = 64 << 10;

/// The outermost directory on the same file system.
std::filesystem::path mount_of(std::filesystem::path directory) {
  struct stat here {};
  if (stat(directory.c_str(), &here) != 0) return directory;
  while (directory.has_parent_path() && directory != directory.parent_path()) {
    struct stat above {};
    if (stat(directory.parent_path().c_str(), &above) != 0 || above.st_dev != here.st_dev) break;
    directory = directory.parent_path();
  }
  return directory;
}

}  // namespace

std::optional<Problem> full_disk(const std::filesystem::path& directory) {
  struct statvfs disk {};
  if (statvfs(directory.c_str(), &disk) != 0) return std::nullopt;
  // The superuser may use what is kept for him.
  const bool all = geteuid() == 0;
  const unsigned long long bytes = (all ? disk.f_bfree : disk.f_bavail) * 1ULL * disk.f_frsize;
  const bool no_files = disk.f_files > 0 && (all ? disk.f_ffree : disk.f_favail) == 0;
  // Where nothing is told of sizes, nothing is known.
  if (!no_files && (bytes >= least_bytes || disk.f_blocks == 0)) return std::nullopt;
  const std::string name = mount_of(directory).string();
  return Problem{no_files ? "the disk of " + name + " has room for no more files"
                          : "the disk of " + name + " is full (" + std::to_string(bytes / 1024) +
                                " KiB are free)",
                 "", "make room there, or set TMPDIR to another disk"};
}

}  // namespace roofmark

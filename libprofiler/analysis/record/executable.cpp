#include <elf.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <analysis/files/descriptor.hpp>
#include <analysis/record/executable.hpp>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace roofmark {
namespace {

namespace fs = std::filesystem;

bool runnable(const fs::path& file) {
  struct stat status {};
  return stat(file.c_str(), &status) == 0 && S_ISREG(status.st_mode) &&
         access(file.c_str(), X_OK) == 0;
}

/// Whether a 64-bit ELF file names an interpreter; nothing when it is no such file.
std::optional<bool> names_interpreter(int fd) {
  Elf64_Ehdr header{};
  if (pread(fd, &header, sizeof header, 0) != ssize_t{sizeof header}) return std::nullopt;
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64 ||
      header.e_phentsize != sizeof(Elf64_Phdr))
    return std::nullopt;
  for (unsigned i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment{};
    const auto where = static_cast<off_t>(header.e_phoff + i * sizeof segment);
    if (pread(fd, &segment, sizeof segment, where) != ssize_t{sizeof segment}) return std::nullopt;
    if (segment.p_type == PT_INTERP) return true;
  }
  return false;
}

bool is_32_bit_elf(int fd) {
  unsigned char ident[EI_NIDENT] = {};
  return pread(fd, ident, sizeof ident, 0) == ssize_t{sizeof ident} &&
         std::memcmp(ident, ELFMAG, SELFMAG) == 0 && ident[EI_CLASS] == ELFCLASS32;
}

}  // namespace

std::optional<fs::path> find_executable(const std::string& name) {
  if (name.empty()) return std::nullopt;
  if (name.find('/') != std::string::npos)
    return runnable(name) ? std::optional<fs::path>(name) : std::nullopt;
  const char* variable = std::getenv("PATH");
  std::string search = variable != nullptr ? variable : "/bin:/usr/bin";
  for (std::size_t start = 0; start <= search.size();) {
    const std::size_t end = std::min(search.find(':', start), search.size());
    const fs::path directory = end == start ? "." : search.substr(start, end - start);
    if (runnable(directory / name)) return directory / name;
    start = end + 1;
  }
  return std::nullopt;
}

std::optional<std::string> why_not_preloadable(const fs::path& file, std::string& remedy) {
  Descriptor fd(open(file.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd) return std::nullopt;
  struct stat status {};
  if (fstat(fd.get(), &status) == 0 && (status.st_mode & (S_ISUID | S_ISGID)) != 0 &&
      geteuid() != 0) {
    remedy = "profile a copy of the program without the set-user-ID bit";
    return "the program is set-user-ID, and the loader ignores LD_PRELOAD for it";
  }
  if (geteuid() != 0 && fgetxattr(fd.get(), "security.capability", nullptr, 0) > 0) {
    remedy = "profile a copy of the program without file capabilities";
    return "the program has file capabilities, and the loader ignores LD_PRELOAD for it";
  }
  if (is_32_bit_elf(fd.get())) {
    remedy = "build the program for 64 bit";
    return "the program is a 32-bit program and the runtime is not";
  }
  if (names_interpreter(fd.get()) == false) {
    remedy = "link it dynamically, or link roofmark::runtime_static into it";
    return "the program is statically linked, so the runtime can't be preloaded";
  }
  return std::nullopt;
}

}  // namespace roofmark

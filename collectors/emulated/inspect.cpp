#include "inspect.hpp"

#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "elf_file.hpp"
#include "inspect_parts.hpp"

namespace roofmark::emulated {
namespace {

namespace fs = std::filesystem;

constexpr int most_interpreters = 4;  // as the kernel: a script's interpreter may be a script

struct Machine {
  std::uint16_t id;
  const char* name;
};
constexpr std::array machines = {Machine{EM_X86_64, "x86-64"},   Machine{EM_386, "x86 (32 bits)"},
                                 Machine{EM_AARCH64, "aarch64"}, Machine{EM_ARM, "arm"},
                                 Machine{EM_RISCV, "riscv"},     Machine{EM_PPC64, "ppc64"},
                                 Machine{EM_S390, "s390"}};

std::string machine_name(const ElfFile& elf) {
  for (const Machine& m : machines) {
    if (m.id != elf.machine()) continue;
    return m.id == EM_X86_64 && elf.is_32_bit() ? "x32" : m.name;
  }
  return "machine " + std::to_string(elf.machine());
}

struct Sanitizer {
  const char* name;
  const char* symbol;
  const char* library;
};
constexpr std::array sanitizers = {Sanitizer{"address", "__asan_init", "libasan.so"},
                                   Sanitizer{"thread", "__tsan_init", "libtsan.so"},
                                   Sanitizer{"memory", "__msan_init", "libmsan.so"},
                                   Sanitizer{"hwaddress", "__hwasan_init", "libhwasan.so"},
                                   Sanitizer{"leak", "__lsan_init", "liblsan.so"}};

std::vector<std::string> sanitizers_of(const ElfFile& elf) {
  std::vector<std::string> found;
  const auto needed = elf.needed_libraries();
  for (const Sanitizer& s : sanitizers) {
    bool has = elf.has_symbol(s.symbol);
    for (const std::string_view library : needed) has = has || library.starts_with(s.library);
    if (has) found.emplace_back(s.name);
  }
  return found;
}

bool is_profiled(const ElfFile& elf) {
  return elf.has_symbol("mcount") || elf.has_symbol("_mcount") || elf.has_symbol("__fentry__") ||
         elf.has_symbol("__monstartup");
}

/// As the kernel decides it at exec. Root gains nothing by capabilities, but another user's
/// set-user-ID program runs as that user.
std::string gains_rights(const fs::path& file) {
  struct stat status {};
  struct statvfs system {};
  if (stat(file.c_str(), &status) != 0 || statvfs(file.c_str(), &system) != 0) return {};
  const bool ignored =
      (system.f_flag & ST_NOSUID) != 0 || prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1;
  if (ignored) return {};
  constexpr mode_t set_group = S_ISGID | S_IXGRP;
  if ((status.st_mode & S_ISUID) != 0 && status.st_uid != getuid()) return "the set-user-ID bit";
  if ((status.st_mode & set_group) == set_group && status.st_gid != getgid())
    return "the set-group-ID bit";
  if (getuid() != 0 && getxattr(file.c_str(), "security.capability", nullptr, 0) > 0)
    return "file capabilities";
  return {};
}

/// The interpreter of a script, or nothing.
std::optional<std::string> interpreter_of(const fs::path& file) {
  std::error_code error;
  if (!fs::is_regular_file(file, error)) return std::nullopt;
  std::ifstream stream(file, std::ios::binary);
  std::array<char, 2> mark{};
  if (!stream.read(mark.data(), mark.size()) || mark[0] != '#' || mark[1] != '!')
    return std::nullopt;
  std::string line;
  std::getline(stream, line);
  std::istringstream words(line);
  std::string name;
  words >> name;
  return name;
}

}  // namespace

std::optional<fs::path> find_program(const std::string& name) {
  const auto runnable = [](const fs::path& file) {
    std::error_code unknown;
    return fs::is_regular_file(file, unknown) && access(file.c_str(), X_OK) == 0;
  };
  if (name.empty()) return std::nullopt;
  if (name.find('/') != std::string::npos)
    return runnable(name) ? std::optional<fs::path>(name) : std::nullopt;
  const char* path = std::getenv("PATH");
  const std::string folders = path != nullptr ? path : "/bin:/usr/bin";
  for (std::size_t start = 0; start <= folders.size();) {
    const std::size_t end = std::min(folders.find(':', start), folders.size());
    const fs::path folder = end == start ? "." : folders.substr(start, end - start);
    if (runnable(folder / name)) return folder / name;
    start = end + 1;
  }
  return std::nullopt;
}

Result<Executable> inspect(const fs::path& file, Look look) {
  Executable executable;
  executable.path = file;
  for (int i = 0; i < most_interpreters; ++i) {
    const auto interpreter = interpreter_of(executable.path);
    if (!interpreter) break;
    if (interpreter->empty())
      return tl::unexpected(Problem{"the script names no interpreter", executable.path.string(),
                                    "complete its first line"});
    if (executable.script.empty()) executable.script = file;
    executable.path = *interpreter;
  }
  const auto elf = ElfFile::read(executable.path);
  if (!elf) return tl::unexpected(elf.error());
  executable.machine = machine_name(*elf);
  executable.is_32_bit = elf->is_32_bit();
  executable.gains_rights = gains_rights(executable.path);
  if (!elf->is_elf64_little()) return executable;
  executable.is_static = !elf->has_segment(PT_INTERP);
  executable.position_independent = elf->type() == ET_DYN;
  executable.sanitizers = sanitizers_of(*elf);
  executable.profiled = is_profiled(*elf);
  executable.function_hooks = elf->has_symbol("__cyg_profile_func_enter");
  if (look == Look::code) executable.evex = evex_signs(*elf);
  return executable;
}

Suitability suitability(const Executable& e) {
  Suitability s;
  const std::string where = e.path.string();
  if (e.machine != "x86-64") {
    s.obstacle = Problem{"it is a program for " + e.machine + "; the emulator runs x86-64", where,
                         "build it for x86-64"};
  } else if (!e.sanitizers.empty()) {
    s.obstacle = Problem{
        "it is built with -fsanitize=" + e.sanitizers.front() + ", which can't run in the emulator",
        where, "build it without the sanitizer"};
  } else if (!e.gains_rights.empty()) {
    s.obstacle = Problem{"it gains rights when it starts, by " + e.gains_rights +
                             ", which the emulator can't give it",
                         where, "count a copy without them, as the user whose rights it needs"};
  }
  if (s.obstacle) return s;
  if (e.evex.floating_point > 0) {
    s.notes.emplace_back(
        "The program may execute AVX-512, which can't be emulated: if it stops at an illegal "
        "instruction, build it for the counted run with -march=x86-64-v3.");
  }
  return s;
}

}  // namespace roofmark::emulated

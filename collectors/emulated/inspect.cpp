#include "inspect.hpp"

#include <sys/stat.h>
#include <sys/xattr.h>

#include <array>
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
                                   Sanitizer{"hwaddress", "__hwasan_init", "libhwasan.so"}};

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

bool gains_rights(const fs::path& file) {
  struct stat status {};
  if (stat(file.c_str(), &status) != 0) return false;
  if ((status.st_mode & (S_ISUID | S_ISGID)) != 0) return true;
  return getxattr(file.c_str(), "security.capability", nullptr, 0) > 0;
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

Result<Executable> inspect(const fs::path& file) {
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
  executable.setuid = gains_rights(executable.path);
  if (!elf->is_elf64_little()) return executable;
  executable.is_static = !elf->has_segment(PT_INTERP);
  executable.position_independent = elf->type() == ET_DYN;
  executable.sanitizers = sanitizers_of(*elf);
  executable.profiled = is_profiled(*elf);
  executable.debug = debug_form(*elf);
  executable.evex = evex_signs(*elf);
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
  } else if (e.setuid) {
    s.obstacle = Problem{
        "it gains rights when it starts (set-user-ID or capabilities), which the emulator can't "
        "give it",
        where, "count a copy of it as the user whose rights it needs"};
  }
  if (s.obstacle) return s;
  if (e.debug.unreadable()) {
    s.hide_debug = true;
    const char* form = e.debug.dwarf64 ? "64-bit DWARF"
                       : e.debug.split ? "split DWARF 5"
                                       : "clang's DWARF 5";
    s.notes.push_back(std::string("The debug information is of a form that Valgrind can't read (") +
                      form +
                      "): a copy without it is counted, and there are no totals per source line; "
                      "-gdwarf-4 keeps them.");
  }
  if (e.is_static)
    s.notes.emplace_back(
        "The program is static, so its markers can't be seen unless it links Roofmark's runtime.");
  if (e.evex.floating_point > 0) {
    s.notes.emplace_back(
        "The program may execute AVX-512, which can't be emulated: if it stops at an illegal "
        "instruction, build it for the counted run with -march=x86-64-v3.");
  }
  if (e.profiled)
    s.notes.emplace_back(
        "The program is built with -pg, whose profiling timer may end it in the emulator.");
  return s;
}

Result<fs::path> copy_without_debug(const fs::path& from, const fs::path& to) {
  auto elf = ElfFile::read(from);
  if (!elf) return tl::unexpected(elf.error());
  const auto names = elf->section_names();
  if (!names)
    return tl::unexpected(
        Problem{"its sections have no names", from.string(), "strip --strip-debug it by hand"});
  std::string bytes(reinterpret_cast<const char*>(elf->bytes().data()), elf->bytes().size());
  // Readers find debug sections by name alone; a name of equal length hides them and moves nothing.
  for (const auto& [visible, hidden] :
       {std::pair<std::string_view, std::string_view>{".debug_", ".hidden"},
        {".zdebug_", ".zhidden"}}) {
    const std::size_t end = names->first + names->second;
    for (std::size_t at = bytes.find(visible, names->first); at < end; at = bytes.find(visible, at))
      bytes.replace(at, visible.size(), hidden);
  }
  std::ofstream out(to, std::ios::binary | std::ios::trunc);
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  out.close();
  std::error_code error;
  const auto mode =
      fs::status(from, error).permissions() & ~(fs::perms::set_uid | fs::perms::set_gid);
  if (!error) fs::permissions(to, mode | fs::perms::owner_write, error);
  if (!out || error) {
    fs::remove(to, error);
    return tl::unexpected(Problem{"the copy without debug information can't be written",
                                  to.string(), "free space there, or build with -gdwarf-4"});
  }
  return to;
}

}  // namespace roofmark::emulated

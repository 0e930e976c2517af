// Executables as compilers make them, and files that are none.
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>
#include <collectors/emulated/elf_file.hpp>
#include <collectors/emulated/inspect.hpp>
#include <collectors/emulated/inspect_parts.hpp>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>

#include "catch.hpp"

using namespace roofmark::emulated;
namespace fs = std::filesystem;

namespace {

struct Folder {
  fs::path path;
  Folder() {
    std::string name = (fs::temp_directory_path() / "roofmark-inspect-XXXXXX").string();
    path = mkdtemp(name.data());
    write("a.c", "int f(int);\nint main(int c, char** v) { (void)v; return f(c) - 2; }\n");
    write("b.c", "int f(int x) { return x + 1; }\n");
    write("v.c",
          "double a[4096], b[4096];\nint main(void) { for (int i = 0; i < 4096; i++) a[i] = a[i] * "
          "b[i] + 1.5; return (int)a[7] - 1; }\n");
  }
  ~Folder() { fs::remove_all(path); }
  fs::path write(const std::string& name, const std::string& text) const {
    std::ofstream(path / name, std::ios::binary) << text;
    return path / name;
  }
};

bool run(const std::string& command) {
  return std::system((command + " > /dev/null 2>&1").c_str()) == 0;
}

/// The program that a compiler makes of the folder's sources; nothing where the compiler or an
/// option is missing.
std::optional<fs::path> build(const Folder& folder, const std::string& compiler,
                              const std::string& options, const std::string& sources = "a.c b.c") {
  const fs::path out = folder.path / "program";
  fs::remove(out);
  if (run("cd " + folder.path.string() + " && " + compiler + " " + options + " " + sources +
          " -o program"))
    return out;
  WARN("skipped: " << compiler << " " << options << " does not work here");
  return std::nullopt;
}

Executable inspected(const fs::path& file) {
  const auto result = inspect(file);
  REQUIRE(result.has_value());
  return *result;
}

std::string clang() {
  for (const char* name : {"clang", "clang-14", "clang-18"}) {
    if (run(std::string(name) + " --version")) return name;
  }
  return "clang";
}

}  // namespace

TEST_CASE("an ordinary program is fit as it is") {
  const Folder folder;
  const auto program = build(folder, "cc", "-g -O2");
  if (!program) return;
  const Executable e = inspected(*program);
  CHECK(e.machine == "x86-64");
  CHECK_FALSE(e.is_static);
  CHECK_FALSE(e.profiled);
  CHECK_FALSE(e.function_hooks);
  CHECK(e.sanitizers.empty());
  const Suitability s = suitability(e);
  CHECK_FALSE(s.obstacle);
  CHECK(s.notes.empty());
}

TEST_CASE("sanitizers, profiling, static linking") {
  const Folder folder;
  if (const auto program = build(folder, "cc", "-fsanitize=address")) {
    const Executable e = inspected(*program);
    REQUIRE(e.sanitizers == std::vector<std::string>{"address"});
    REQUIRE(suitability(e).obstacle);
    CHECK(suitability(e).obstacle->remedy == "build it without the sanitizer");
  }
  if (const auto program = build(folder, "cc", "-fsanitize=leak")) {
    CHECK(inspected(*program).sanitizers == std::vector<std::string>{"leak"});
    CHECK(suitability(inspected(*program)).obstacle.has_value());
  }
  if (const auto program = build(folder, clang(), "-fsanitize=thread")) {
    CHECK(inspected(*program).sanitizers == std::vector<std::string>{"thread"});
  }
  if (const auto program = build(folder, "cc", "-pg")) {
    CHECK(inspected(*program).profiled);
    CHECK_FALSE(suitability(inspected(*program)).obstacle);
  }
  if (const auto program = build(folder, "cc", "-static -O2")) {
    CHECK(inspected(*program).is_static);
    CHECK(inspected(*program).evex.floating_point ==
          0);  // glibc's string functions use EVEX, by dispatch
  }
  if (const auto program = build(folder, "cc", "-static-pie -O2")) {
    CHECK(inspected(*program).is_static);
    CHECK(inspected(*program).position_independent);
  }
}

TEST_CASE("AVX-512 code is said to be possible, AVX2 code is not") {
  const Folder folder;
  if (const auto program =
          build(folder, "cc", "-O3 -march=skylake-avx512 -mprefer-vector-width=512", "v.c")) {
    const Executable e = inspected(*program);
    CHECK(e.evex.floating_point > 0);
    REQUIRE(suitability(e).notes.size() == 1);
    CHECK(suitability(e).notes[0].find("-march=x86-64-v3") != std::string::npos);
  }
  if (const auto program = build(folder, "cc", "-O3 -march=haswell", "v.c")) {
    CHECK(inspected(*program).evex.instructions == 0);
  }
}

TEST_CASE("a command is looked up as the shell would") {
  CHECK(find_program("/bin/sh") == fs::path("/bin/sh"));
  REQUIRE(find_program("sh"));
  CHECK(find_program("sh")->filename() == "sh");
  CHECK_FALSE(find_program("no-such-command-anywhere"));
  CHECK_FALSE(find_program("./no-such-file"));
  CHECK_FALSE(find_program(""));
  CHECK_FALSE(find_program("/tmp"));
}

TEST_CASE("a script is followed to its interpreter, through another script") {
  const Folder folder;
  const fs::path first = folder.write("first", "#!/bin/sh -e\nexit 0\n");
  const fs::path second = folder.write("second", "#! " + first.string() + "\n");
  const Executable e = inspected(second);
  CHECK(e.path == "/bin/sh");
  CHECK(e.script == second);
  CHECK(e.machine == inspected("/bin/sh").machine);
  CHECK_FALSE(inspect(folder.write("none", "#!\n")).has_value());
  CHECK_FALSE(inspect(folder.write("lost", "#!/nowhere/to/be/found\n")).has_value());
  CHECK_FALSE(
      inspect(folder.write("loop", "#!" + (folder.path / "loop").string() + "\n")).has_value());
}

TEST_CASE("rights that this user lacks are an obstacle, rights that it has are none") {
  const Folder folder;
  const auto program = build(folder, "cc", "-O2");
  if (!program) return;
  REQUIRE(chmod(program->c_str(), 04755) == 0);
  CHECK(inspected(*program).gains_rights.empty());  // the owner's, who is us
  Executable e = inspected(*program);
  e.gains_rights = "file capabilities";
  REQUIRE(suitability(e).obstacle);
  CHECK(suitability(e).obstacle->where == program->string());
  CHECK(suitability(e).obstacle->reason.find("by file capabilities") != std::string::npos);
  if (prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1) return;
  if (geteuid() != 0) {
    if (fs::exists("/bin/su")) CHECK(inspected("/bin/su").gains_rights == "the set-user-ID bit");
    return;
  }
  struct statvfs system {};
  if (statvfs(program->c_str(), &system) != 0 || (system.f_flag & ST_NOSUID) != 0) {
    WARN("skipped: the temporary directory's file system ignores such bits");
    return;
  }
  // Another user's and another group's, and the bits without effect.
  struct Rights {
    uid_t user;
    gid_t group;
    mode_t mode;
    const char* by;
  };
  for (const Rights& r :
       {Rights{65534, 0, 04755, "the set-user-ID bit"}, Rights{65534, 0, 0755, ""},
        Rights{0, 65534, 02755, "the set-group-ID bit"}, Rights{0, 65534, 02745, ""},
        Rights{0, 0, 06755, ""}}) {
    CAPTURE(r.user, r.group, r.mode);
    REQUIRE(chown(program->c_str(), r.user, r.group) == 0);
    REQUIRE(chmod(program->c_str(), r.mode) == 0);
    CHECK(inspected(*program).gains_rights == r.by);
  }
}

TEST_CASE("the instructions are looked at only where that is asked") {
  const Folder folder;
  const auto program =
      build(folder, "cc", "-O3 -march=skylake-avx512 -mprefer-vector-width=512", "v.c");
  if (!program) return;
  REQUIRE(inspected(*program).evex.instructions > 0);
  const auto headers = inspect(*program, Look::headers);
  REQUIRE(headers);
  CHECK(headers->evex.instructions == 0);
  CHECK(headers->machine == inspected(*program).machine);
}

TEST_CASE("files that are no programs, and programs of other machines") {
  const Folder folder;
  CHECK_FALSE(inspect(folder.path / "missing").has_value());
  CHECK_FALSE(inspect(folder.write("empty", "")).has_value());
  CHECK_FALSE(inspect(folder.write("text", "hello\n")).has_value());
  CHECK_FALSE(inspect(folder.path).has_value());
  std::string head(64, '\0');
  head.replace(0, 7, "\177ELF\2\1\1");
  head[18] = '\267';  // aarch64
  const Executable arm = inspected(folder.write("arm", head));
  CHECK(arm.machine == "aarch64");
  REQUIRE(suitability(arm).obstacle);
  CHECK(suitability(arm).obstacle->reason.find("aarch64") != std::string::npos);
  head[4] = 1;
  head[18] = 3;
  CHECK(inspected(folder.write("i386", head)).machine == "x86 (32 bits)");
}

TEST_CASE("damaged ELF files are read without leaving them") {
  std::ifstream self("/proc/self/exe", std::ios::binary);
  std::vector<std::uint8_t> whole(200'000);
  self.read(reinterpret_cast<char*>(whole.data()), static_cast<std::streamsize>(whole.size()));
  std::mt19937 random(1);
  const auto looked_at = [](const ElfFile& elf) {
    return evex_signs(elf).instructions + (elf.has_symbol("main") ? 1U : 0U) +
           static_cast<unsigned>(elf.needed_libraries().size());
  };
  for (int i = 0; i < 300; ++i) {
    std::vector<std::uint8_t> damaged(whole.begin(),
                                      whole.begin() + static_cast<long>(random() % 4096 + 1));
    for (int k = 0; k < 20; ++k)
      damaged[random() % damaged.size()] = static_cast<std::uint8_t>(random());
    if (damaged.size() > 7) std::copy(whole.begin(), whole.begin() + 7, damaged.begin());
    const ElfFile elf(std::move(damaged));
    looked_at(elf);
  }
  // Section headers in range that point anywhere.
  for (int i = 0; i < 300; ++i) {
    std::vector<std::uint8_t> made(4096);
    for (auto& byte : made) byte = static_cast<std::uint8_t>(random());
    Elf64_Ehdr header{};
    std::copy(whole.begin(), whole.begin() + 16, header.e_ident);
    header.e_machine = EM_X86_64;
    header.e_shoff = random() % 4096;
    header.e_shnum = static_cast<std::uint16_t>(random() % 64);
    header.e_shstrndx = static_cast<std::uint16_t>(random() % 64);
    header.e_phoff = random() % 4096;
    header.e_phnum = static_cast<std::uint16_t>(random());
    std::memcpy(made.data(), &header, sizeof header);
    looked_at(ElfFile(std::move(made)));
  }
  SUCCEED("no access outside the file");
}

// What an executable is, before it is started in the emulator: whether it can run there, and what
// to do where it can't as it is. Reads the file, runs nothing.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <roofmark/result.hpp>
#include <string>
#include <vector>

namespace roofmark::emulated {

/// How the debug information is written, as far as Valgrind's reader minds.
struct DebugForm {
  std::uint32_t units = 0;    ///< compilation units
  std::uint16_t version = 0;  ///< highest DWARF version; 0: no debug information
  bool split = false;         ///< skeleton units, the rest in .dwo files
  bool dwarf64 = false;       ///< 64-bit offsets
  bool compressed = false;    ///< not looked into
  bool clang = false;         ///< some unit was compiled by clang

  /// Valgrind (3.19 at least) gives up before main when it reads this: DWARF 5 of clang with two or
  /// more units, split DWARF 5, 64-bit DWARF.
  bool unreadable() const;
};

/// Signs of EVEX-encoded instructions (AVX-512, AVX10) in executable sections. Data and unused
/// paths look the same, so they say what may be executed, no more.
struct EvexSigns {
  std::uint32_t instructions = 0;    ///< that stand close to another one
  std::uint32_t floating_point = 0;  ///< of those, the ones that compute FLOPs
};

struct Executable {
  std::filesystem::path path;    ///< the ELF file that runs: a script's interpreter
  std::filesystem::path script;  ///< empty: no script
  std::string machine;           ///< "x86-64", "x86 (32 bits)", "aarch64", ...
  bool is_static = false;        ///< a preloaded runtime can't be found by it
  bool position_independent = false;
  bool setuid = false;                  ///< or setgid, or with file capabilities
  bool profiled = false;                ///< built with -pg
  std::vector<std::string> sanitizers;  ///< "address", "thread", "memory", "hwaddress"
  DebugForm debug;
  EvexSigns evex;
};

/// A script is followed to its interpreter.
Result<Executable> inspect(const std::filesystem::path& file);

/// What an inspection means for a counted pass.
struct Suitability {
  std::optional<Problem> obstacle;  ///< it can't be counted, and no copy of it can
  bool hide_debug = false;          ///< count a copy made by `copy_without_debug`
  std::vector<std::string> notes;   ///< what the user should know, one sentence each
};
Suitability suitability(const Executable& executable);

/// Copies an ELF file with its debug sections renamed, so that nobody finds them; all offsets stay.
/// Needs no other tool. The copy's permissions are the original's without set-user-ID.
Result<std::filesystem::path> copy_without_debug(const std::filesystem::path& from,
                                                 const std::filesystem::path& to);

}  // namespace roofmark::emulated

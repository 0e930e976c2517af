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
  bool is_32_bit = false;
  /// By what it starts with rights that this user has not: "the set-user-ID bit", "the set-group-ID
  /// bit", "file capabilities"; empty: it does not.
  std::string gains_rights;
  bool profiled = false;                ///< built with -pg
  bool function_hooks = false;          ///< some of it was built with -finstrument-functions
  std::vector<std::string> sanitizers;  ///< "address", "thread", "memory", "hwaddress", "leak"
  EvexSigns evex;
};

/// The executable that a command of this name starts, looked up in PATH as execvp does.
std::optional<std::filesystem::path> find_program(const std::string& name);

/// How much of the file is looked at.
enum class Look {
  headers,  ///< all but the instructions: `evex` stays zero
  code,     ///< the instructions too, which takes a while where there are many
};

/// A script is followed to its interpreter.
Result<Executable> inspect(const std::filesystem::path& file, Look look = Look::code);

/// What an inspection means for a counted pass.
struct Suitability {
  std::optional<Problem> obstacle;  ///< it can't be counted as it is
  std::vector<std::string> notes;   ///< what the user should know, one sentence each
};
Suitability suitability(const Executable& executable);

}  // namespace roofmark::emulated

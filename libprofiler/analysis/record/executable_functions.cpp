#include <fmt/format.h>

#include <algorithm>
#include <analysis/functions/code_names.hpp>
#include <analysis/record/executable_functions.hpp>
#include <analysis/record/file_words.hpp>
#include <analysis/symbols/object_symbols.hpp>
#include <array>
#include <filesystem>
#include <string_view>

namespace roofmark {
namespace {

/// What the linker and the C library add, and functions that return twice.
bool can_be_region(const std::string& symbol) {
  constexpr std::array<std::string_view, 20> never{"_start",
                                                   "_init",
                                                   "_fini",
                                                   "deregister_tm_clones",
                                                   "frame_dummy",
                                                   "register_tm_clones",
                                                   "__do_global_dtors_aux",
                                                   "__libc_csu_init",
                                                   "__libc_csu_fini",
                                                   "__libc_start_main",
                                                   "__libc_start_call_main",
                                                   "setjmp",
                                                   "_setjmp",
                                                   "__sigsetjmp",
                                                   "sigsetjmp",
                                                   "vfork",
                                                   "__vfork",
                                                   "getcontext",
                                                   "swapcontext",
                                                   "_dl_relocate_static_pie"};
  return std::find(never.begin(), never.end(), symbol) == never.end();
}

/// A probe of a return puts an address of the kernel's on the stack, which unwinding does not know
/// and what moves stacks takes along; and the kernel takes the innermost call for the one that
/// returns.
struct Harmed {
  std::string_view word;  ///< in the file: its symbol, or one that the loader binds
  const char* what;
  bool in_static = true;  ///< the C library brings it into no static program by itself
};
constexpr std::array<Harmed, 15> harmed = {
    {{"__gxx_personality_v0", "its exceptions (it is C++)"},
     {"__cxa_throw", "its exceptions (it is C++)"},
     {"rust_eh_personality", "its panics (it is Rust)"},
     {"_Unwind_RaiseException", "its exceptions", false},
     {"_d_eh_personality", "its exceptions (it is D)"},
     {"__gccgo_personality_v0", "its panics (it is Go)"},
     {"__crystal_personality", "its exceptions (it is Crystal)"},
     {"__gnat_personality_v0", "its exceptions (it is Ada)"},
     {"__objc_personality_v0", "its exceptions (it is Objective-C)"},
     {"__gdc_personality_v0", "its exceptions (it is D)"},
     {".gopclntab", "its stacks, which move (it is Go)"},
     {"runtime.morestack", "its stacks, which move (it is Go)"},
     {"swapcontext", "its switching of stacks (swapcontext)"},
     {"setcontext", "its switching of stacks (setcontext)"},
     {"makecontext", "its switching of stacks (makecontext)"}}};

std::string what_is_harmed(const std::filesystem::path& file, bool is_static) {
  std::string found;
  const bool readable = look_through(file, [&](std::string_view piece) {
    for (const Harmed& one : harmed)
      if (found.empty() && (one.in_static || !is_static) &&
          piece.find(one.word) != std::string_view::npos)
        found = one.what;
    return !found.empty();
  });
  return readable ? found : "what can't be known: the file can't be read";
}

}  // namespace

ExecutableFunctions find_executable_functions(const std::vector<FunctionGlob>& globs,
                                              const TargetFile& target) {
  ExecutableFunctions found;
  if (globs.empty() || !target.executable || symbols::unavailable()) return found;
  std::error_code unknown;
  const auto file = std::filesystem::canonical(target.executable->path, unknown);
  if (unknown) return found;
  auto object = symbols::open_object(file.string());
  if (!object) return found;
  found.object = file.string();
  functions::UniqueNames names;
  for (const symbols::Function& function : (*object)->functions()) {
    // What the unwinding table alone knows may be a part that is jumped to, with no return address
    // where a call would have it.
    if (function.symbol.empty() || !can_be_region(function.symbol)) continue;
    bool meant = false;
    for (const FunctionGlob& glob : globs)
      if (is_meant(glob, function.symbol, found.object)) {
        found.met.insert(glob.text);
        meant = true;
      }
    if (meant) found.functions.push_back({names.take(function.name), function.extent.first});
  }
  if (found.functions.size() > most_executable_functions) {
    found.lines.push_back(fmt::format(
        "--functions: {} functions of {} match, and at most {} of an executable can be regions: "
        "none of them is; a narrower glob.",
        found.functions.size(), file.filename().string(), most_executable_functions));
    found.functions.clear();
  }
  if (!found.functions.empty()) found.harmed = what_is_harmed(file, target.executable->is_static);
  return found;
}

}  // namespace roofmark

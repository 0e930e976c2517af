#include <fmt/format.h>

#include <algorithm>
#include <analysis/functions/code_names.hpp>
#include <analysis/record/executable_functions.hpp>
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

bool throws(const symbols::ObjectSymbols& object, const std::filesystem::path& file) {
  for (const symbols::Function& function : object.functions())
    if (function.symbol == "__cxa_throw" || function.symbol.rfind("_ZNSt", 0) == 0) return true;
  // Bound by the loader: the names stand in the file.
  std::FILE* const stream = std::fopen(file.c_str(), "rb");
  if (stream == nullptr) return true;
  constexpr std::string_view word = "__gxx_personality_v0";
  std::string window;
  std::array<char, 65536> part{};
  bool found = false;
  for (std::size_t got = 0;
       !found && (got = std::fread(part.data(), 1, part.size(), stream)) > 0;) {
    window.append(part.data(), got);
    found = window.find(word) != std::string::npos;
    if (window.size() > word.size()) window.erase(0, window.size() - word.size());
  }
  std::fclose(stream);
  return found;
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
    const bool meant = std::any_of(globs.begin(), globs.end(), [&](const FunctionGlob& glob) {
      return is_meant(glob, function.symbol, found.object);
    });
    if (meant && can_be_region(function.symbol))
      found.functions.push_back({names.take(function.name), function.extent.first});
  }
  if (found.functions.size() > most_executable_functions) {
    found.lines.push_back(fmt::format(
        "--functions: {} functions of {} match, and at most {} of an executable can be regions: "
        "none of them is; a narrower glob.",
        found.functions.size(), file.filename().string(), most_executable_functions));
    found.functions.clear();
  }
  if (!found.functions.empty()) found.has_exceptions = throws(**object, file);
  return found;
}

}  // namespace roofmark

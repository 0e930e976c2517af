// What a counted pass that ended badly died of. The native pass's report stands whatever is found.
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <fstream>
#include <sstream>

#include "plan.hpp"

namespace roofmark::emulated {
namespace {

/// A sign in the emulator's log, what it means, and what to do.
struct Sign {
  const char* text;
  const char* reason;
  const char* remedy;
};

/// Meant only where an illegal instruction ended the program: some programs try one and go on.
constexpr const char* died_of_instruction = "default action of signal 4";
constexpr std::array instruction_signs = {
    Sign{"unhandled instruction bytes: 0x62",
         "the program executes AVX-512 instructions, which can't be emulated",
         "build it for the counted run with -march=x86-64-v3"},
    Sign{"unhandled instruction bytes",
         "the program executes an instruction that can't be emulated",
         "build it for the counted run with -march=x86-64-v3"},
};

constexpr std::array fatal_signs = {
    Sign{"the 'impossible' happened", "the emulator met a fault of its own",
         "report it with the log"},
    Sign{"Bad option", "the emulator was given an option that it refuses",
         "report it with the log"},
    Sign{"Max number of threads is too low", "the program has more than 1024 threads at a time",
         "count a run with fewer threads"},
    Sign{"Valgrind cannot continue", "the emulated program needs more memory than there is",
         "count a smaller case"},
    Sign{"Out of memory", "the emulator ran out of memory", "count a smaller case"},
};

template <std::size_t n>
const Sign* find_sign(const std::array<Sign, n>& signs, const std::string& log) {
  const auto found = std::find_if(signs.begin(), signs.end(), [&](const Sign& s) {
    return log.find(s.text) != std::string::npos;
  });
  return found == signs.end() ? nullptr : &*found;
}

std::string logs_in(const std::filesystem::path& output) {
  std::string all;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(output, error)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with("emulator-") || !name.ends_with(".log")) continue;
    std::ifstream file(entry.path(), std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    all += text.str();
  }
  return all;
}

}  // namespace

std::optional<Problem> diagnose(const std::filesystem::path& output, int wait_status) {
  const std::string log = logs_in(output);
  const Sign* sign = find_sign(fatal_signs, log);
  if (sign == nullptr && log.find(died_of_instruction) != std::string::npos)
    sign = find_sign(instruction_signs, log);
  if (sign != nullptr) return Problem{sign->reason, "counted run", sign->remedy};
  if (WIFSIGNALED(wait_status) && WTERMSIG(wait_status) == SIGPROF)
    return Problem{"the program was built with -pg, whose profiling timer kills it when emulated",
                   "counted run", "build it without -pg"};
  return std::nullopt;
}

}  // namespace roofmark::emulated

// What a counted pass that ended badly died of. The native pass's report stands whatever is found.
#include <sys/resource.h>
#include <sys/wait.h>

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <csignal>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string_view>

#include "analysis/files/full_disk.hpp"
#include "plan.hpp"

namespace roofmark::emulated {
namespace {

/// A sign in the emulator's log, what it means, and what to do.
struct Sign {
  const char* text;
  const char* reason;
  const char* remedy;
  bool for_memory = false;  ///< a limit on it may be what is in the way
};

/// Meant only where an illegal instruction ended the program: some programs try one and go on.
constexpr const char* died_of_instruction = "default action of signal 4";
constexpr std::array instruction_signs = {
    Sign{"unhandled instruction bytes: 0x62",
         "the program executes AVX-512 instructions, which can't be emulated",
         "build it for the counted run with -march=x86-64-v3"},
    Sign{"unhandled instruction bytes",
         "the program executes an instruction that can't be emulated",
         "build it for the counted run with -march=x86-64-v3, or without what uses that "
         "instruction"},
};

constexpr std::array fatal_signs = {
    Sign{"the 'impossible' happened", "the emulator met a fault of its own", "report it"},
    Sign{"Bad option", "the emulator was given an option that it refuses", "report it"},
    Sign{"Max number of threads is too low", "the program has more than 1024 threads at a time",
         "count a run with fewer threads"},
    Sign{"Valgrind cannot continue", "the emulated program needs more memory than there is",
         "count a smaller case", true},
    Sign{"Out of memory", "the emulator ran out of memory", "count a smaller case", true},
};

template <std::size_t n>
const Sign* find_sign(const std::array<Sign, n>& signs, const std::string& log) {
  const auto found = std::find_if(signs.begin(), signs.end(), [&](const Sign& s) {
    return log.find(s.text) != std::string::npos;
  });
  return found == signs.end() ? nullptr : &*found;
}

/// " (0F 38 C9 D1 48 8D 05 60, at main in ./program)": the last one that the log shows.
std::string instruction_in(const std::string& log) {
  constexpr std::string_view before_bytes = "unhandled instruction bytes:";
  constexpr std::size_t most_bytes = 8;  // the log goes on with those of the next one
  const std::size_t at = log.rfind(before_bytes);
  if (at == std::string::npos) return "";
  std::istringstream line(log.substr(at + before_bytes.size(), log.find('\n', at) - at));
  std::string bytes;
  unsigned value = 0;
  for (std::size_t i = 0; i < most_bytes && line >> std::hex >> value; ++i)
    bytes += fmt::format("{}{:02X}", i == 0 ? "" : " ", value & 0xFF);
  std::string place;
  // "==PID==    at 0x1092D5: main (in /home/me/program)"
  if (const std::size_t where = log.find(" at 0x", at); where != std::string::npos) {
    const std::size_t colon = log.find(": ", where), end = log.find('\n', where);
    if (colon != std::string::npos && colon < end)
      place = ", at " + log.substr(colon + 2, end - colon - 2);
    if (const std::size_t in = place.find(" (in ");
        in != std::string::npos && place.back() == ')') {
      place.erase(in + 1, 1);
      place.pop_back();
    }
  }
  return bytes.empty() ? "" : " (" + bytes + place + ")";
}

std::string read_all(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::string logs_in(const std::filesystem::path& output) {
  std::string all;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(output, error)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with("emulator-") || !name.ends_with(".log")) continue;
    all += read_all(entry.path());
  }
  return all;
}

constexpr const char* unlimited = "ulimit -v unlimited";

/// Nothing: there is no limit.
std::optional<std::uint64_t> address_space_limit_kib() {
  rlimit space{};
  if (getrlimit(RLIMIT_AS, &space) != 0 || space.rlim_cur == RLIM_INFINITY) return std::nullopt;
  return space.rlim_cur / 1024;
}

/// What the tool says in its log where it can't write its counts.
constexpr const char* no_room = "roofmark: can't write all of";
constexpr const char* out_of_reach = "roofmark: can't write";

}  // namespace

Problem no_counts(const std::filesystem::path& output, int wait_status) {
  if (auto full = full_disk(output))
    return {"the counted run left no counts: " + full->reason, "", full->remedy};
  if (const auto limit = address_space_limit_kib())
    return {
        "the counted run left no counts: the emulator needs much address space, and that is "
        "limited to " +
            std::to_string(*limit) + " KiB",
        "", unlimited};
  std::string ended;
  if (WIFSIGNALED(wait_status))
    ended = std::string("ended by a signal (") + strsignal(WTERMSIG(wait_status)) + ")";
  else
    ended = "ended with status " + std::to_string(WEXITSTATUS(wait_status));
  return {"the counted run left no counts and " + ended, "", "--counters none, and report it"};
}

Problem other_end(const std::filesystem::path& output, int status, int timed_status) {
  std::string reason = "the counted run ended with status " + std::to_string(status) +
                       ", the timed run with " + std::to_string(timed_status);
  if (auto full = full_disk(output)) return {reason + ": " + full->reason, "", full->remedy};
  const auto limit = address_space_limit_kib();
  if (!limit) return {reason, "", "make the program take the same path in both runs"};
  reason +=
      ": perhaps for want of address space, of which the emulator needs much and which is "
      "limited to " +
      std::to_string(*limit) + " KiB";
  return {reason, "", unlimited};
}

std::optional<Problem> diagnose(const std::filesystem::path& output, int wait_status) {
  const std::string log = logs_in(output);
  const Sign* sign = find_sign(fatal_signs, log);
  if (sign == nullptr && log.find(died_of_instruction) != std::string::npos)
    sign = find_sign(instruction_signs, log);
  if (sign != nullptr) {
    const bool limited = sign->for_memory && address_space_limit_kib();
    const std::string which = sign == &instruction_signs.back() ? instruction_in(log) : "";
    return Problem{sign->reason + which, "counted run", limited ? unlimited : sign->remedy};
  }
  if (WIFSIGNALED(wait_status) && WTERMSIG(wait_status) == SIGPROF)
    return Problem{"the program was built with -pg, whose profiling timer kills it when emulated",
                   "counted run", "build it without -pg"};
  return std::nullopt;
}

}  // namespace roofmark::emulated

namespace roofmark {

std::optional<Problem> unwritten(const std::filesystem::path& counts_file) {
  // counts-PID-SEQ.jsonl, emulator-PID.log
  const std::string name = counts_file.filename().string();
  const std::size_t start = name.find('-') + 1;
  const std::string pid = name.substr(start, name.find('-', start) - start);
  const std::string log =
      emulated::read_all(counts_file.parent_path() / ("emulator-" + pid + ".log"));
  const std::string where = "counted process " + pid;
  if (log.find(emulated::no_room) != std::string::npos) {
    const auto full = full_disk(counts_file.parent_path());
    return Problem{"there was no room for all of its counts" + (full ? ": " + full->reason : ""),
                   where, full ? full->remedy : "set TMPDIR to a local disk with more room"};
  }
  if (log.find(emulated::out_of_reach) != std::string::npos)
    return Problem{
        "it could not write its counts: by then it had changed its root directory, its mounts or "
        "its user, and they were out of its reach",
        where,
        "count it without that (chroot, pivot_root, setuid), as daemons often have an option for"};
  return std::nullopt;
}

}  // namespace roofmark

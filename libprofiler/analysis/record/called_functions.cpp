#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <analysis/record/called_functions.hpp>
#include <analysis/record/launch.hpp>
#include <analysis/record/uprobes.hpp>
#include <analysis/symbols/names.hpp>
#include <array>
#include <fstream>
#include <set>

#include "analysis/text/parsing.hpp"
#include "libprofiler/target/attach/functions/frame.h"
#include "libprofiler/target/attach/functions/pattern.hpp"

namespace roofmark {
namespace {

namespace fs = std::filesystem;

constexpr const char* program_library = "libroofmark-functions.so";
constexpr const char* loader_library = "libroofmark-audit.so";
constexpr std::size_t most_globs = 64;  // as the loader's library

bool fits(const std::string& glob, std::string_view text) {
  return functions::matches(glob.data(), glob.size(), text.data(), text.size());
}

std::string library_name(const std::string& path) {
  return path.substr(path.rfind('/') + 1);
}

/// What one visit costs its caller, by the process's own measurement.
std::optional<double> marker_s(const JoinInput& input) {
  for (const RawProcess& process : input.native) {
    const auto own = process.ticks_per_second();
    if (const auto rate = own ? own : input.ticks_per_second; rate && *rate > 0)
      return static_cast<double>(process.marker_ticks) / *rate;
  }
  return std::nullopt;
}

/// Shorter names for symbols, where no other name of the profile is the same.
/// Without the program that it is of, which stands behind the outermost names of others than the
/// first one.
std::string without_program(const std::string& name) {
  const std::size_t mark = name.rfind(" [");
  return mark != std::string::npos && name.back() == ']' ? name.substr(0, mark) : name;
}

std::map<std::string, std::string> names_for(const RedirectedFunctions& redirected,
                                             const std::vector<Region>& regions) {
  std::set<std::string> names;
  for (const Region& region : regions)
    for (const std::string& name : region.path)
      names.insert(redirected.object_of.contains(name) ? name : without_program(name));
  std::map<std::string, unsigned> uses;
  const auto forms = [](const std::string& symbol) {
    const std::string whole = symbols::demangled(symbol);
    return std::array{symbols::shortened(whole), whole};
  };
  for (const std::string& name : names) {
    if (!redirected.object_of.contains(name)) {
      ++uses[name];
      continue;
    }
    const auto both = forms(name);
    ++uses[both[0]];
    if (both[1] != both[0]) ++uses[both[1]];
  }
  std::map<std::string, std::string> chosen;
  for (const std::string& name : names) {
    if (!redirected.object_of.contains(name)) continue;
    for (const std::string& form : forms(name))
      if (uses[form] == 1) {
        chosen[name] = form;
        break;
      }
  }
  return chosen;
}

}  // namespace

Result<FunctionGlob> parse_function_glob(const std::string& text) {
  FunctionGlob glob;
  glob.text = text;
  const std::size_t at = text.rfind('@');
  glob.function = text.substr(0, at);
  if (at != std::string::npos) glob.library = text.substr(at + 1);
  if (glob.function.empty() || (at != std::string::npos && glob.library.empty()))
    return tl::unexpected(Problem{"it is GLOB or GLOB@LIB", "--functions '" + text + "'",
                                  "for example --functions 'cblas_*@libblas*'"});
  if (text.find(',') != std::string::npos)
    return tl::unexpected(Problem{"a name of a function or a library holds no comma",
                                  "--functions '" + text + "'", "give the option once for each"});
  return glob;
}

bool is_meant(const FunctionGlob& glob, const std::string& symbol, const std::string& object) {
  if (!glob.library.empty() && !fits(glob.library, library_name(object))) return false;
  if (fits(glob.function, symbol)) return true;
  std::array<char, 1024> qualified{};
  const std::size_t length =
      functions::qualified_name(symbol.c_str(), qualified.data(), qualified.size());
  return length > 0 && fits(glob.function, std::string_view(qualified.data(), length));
}

std::optional<Problem> add_functions(const std::vector<FunctionGlob>& globs, const fs::path& lib,
                                     std::vector<std::string>& environment) {
  if (globs.empty()) return std::nullopt;
  for (const char* name : {program_library, loader_library})
    if (access((lib / name).c_str(), R_OK) != 0)
      return Problem{"calls of functions can't be redirected: the library for it is not there",
                     (lib / name).string(),
                     "install Roofmark again (it exists for x86-64 and aarch64)"};
  if (globs.size() > most_globs)
    return Problem{"more than " + std::to_string(most_globs) + " --functions", "",
                   "let a wildcard stand for several"};
  std::string list;
  for (const FunctionGlob& glob : globs) list += (list.empty() ? "" : ",") + glob.text;
  set_variable(environment, "ROOFMARK_FUNCTIONS", list);
  // Beside an auditing library the loader puts the thread-local variables of preloaded ones into
  // what it keeps free, which is little.
  set_variable(environment, "GLIBC_TUNABLES", "glibc.rtld.optional_static_tls=16384", ':');
  set_variable(environment, "LD_AUDIT", (lib / loader_library).string(), ':');
  set_variable(environment, "LD_PRELOAD", (lib / program_library).string(), ':');
  return std::nullopt;
}

RedirectedFunctions read_redirected(const fs::path& directory) {
  RedirectedFunctions read;
  std::error_code unreadable;
  for (const fs::directory_entry& entry : fs::directory_iterator(directory, unreadable)) {
    if (entry.path().extension() != ".functions") continue;
    std::ifstream file(entry.path(), std::ios::binary);
    for (std::string line; std::getline(file, line);) {
      const std::size_t space = line.find(' ');
      if (space == std::string::npos) continue;
      const std::string word = line.substr(0, space), rest = line.substr(space + 1);
      if (const std::size_t tab = rest.find('\t'); word == "redirected" && tab != std::string::npos)
        read.object_of.emplace(rest.substr(0, tab), rest.substr(tab + 1));
      if (word == "cost_ps")
        if (const auto value = text::real_number(rest))
          read.cost_s = std::max(read.cost_s.value_or(0), *value * 1e-12);
      if (word == "limit") {
        read.has_limit = read.has_limit || rest == "functions";
        read.has_deep = read.has_deep || rest == "deep";
      }
    }
  }
  return read;
}

namespace {

/// A function of the executable: timed by probes, or only counted.
void describe_own(const FunctionMeans& means, Region& region) {
  CalledFunction function;
  function.object = means.object;
  if (region.work.wall_s) {
    function.timed_by = "uprobes";
    function.cost_s = means.probe_cost_s;
  }
  if (!region.work.flop.empty() || !region.work.operations.empty())
    function.counted_by = "entry detection";
  region.function = std::move(function);
  if (region.work.wall_s || (!means.not_probed && means.lost == 0)) return;
  const Problem reason = means.not_probed.value_or(
      Problem{"entries and returns were lost: there was no room for them", "", "name fewer"});
  for (Missing& missing : region.missing)
    if (missing.quantity == "time.wall") missing = {"time.wall", reason.reason, reason.remedy};
  region.flags.erase("visits_differ");
}

}  // namespace

std::vector<std::string> describe_functions(const std::vector<FunctionGlob>& globs,
                                            const FunctionMeans& means, const JoinInput& input,
                                            Profile& profile) {
  std::vector<std::string> lines;
  const RedirectedFunctions& redirected = means.redirected;
  std::optional<double> cost_s = redirected.cost_s;
  const auto marker = marker_s(input);
  if (cost_s && marker)
    *cost_s += *marker;
  else
    cost_s.reset();
  for (Region& region : profile.regions) {
    if (region.path.empty()) continue;
    if (means.of_executable.contains(region.path.back())) {
      describe_own(means, region);
      continue;
    }
    auto found = redirected.object_of.find(region.path.back());
    if (found == redirected.object_of.end() && region.path.size() == 1)
      found = redirected.object_of.find(without_program(region.path.back()));
    if (found == redirected.object_of.end()) continue;
    CalledFunction function;
    function.object = found->second;
    function.timed_by = "redirection";
    function.counted_by = region.work.flop.empty() ? "" : "redirection";
    function.cost_s = cost_s;
    region.function = std::move(function);
  }
  const auto names = names_for(redirected, profile.regions);
  for (Region& region : profile.regions)
    for (std::string& name : region.path) {
      std::string symbol = redirected.object_of.contains(name) ? name : without_program(name);
      if (const auto chosen = names.find(symbol); chosen != names.end())
        name = chosen->second + name.substr(symbol.size());
    }

  if (means.no_redirection && means.met.empty())
    lines.push_back("--functions: " + to_line(*means.no_redirection) + ".");
  for (const FunctionGlob& glob : globs) {
    if (means.met.contains(glob.text)) continue;
    if (means.no_redirection) {
      if (!means.met.empty())
        lines.push_back(fmt::format(
            "--functions '{}': the executable has no such function, and calls of libraries are not "
            "redirected: {}.",
            glob.text, to_line(*means.no_redirection)));
      continue;
    }
    const bool found = std::any_of(
        redirected.object_of.begin(), redirected.object_of.end(),
        [&](const auto& function) { return is_meant(glob, function.first, function.second); });
    if (!found)
      lines.push_back(fmt::format(
          "--functions '{}': the program called no such function of a library through the loader, "
          "and its executable has none; `nm LIBRARY` and `nm -D LIBRARY` have the names.",
          glob.text));
  }
  if (redirected.has_limit)
    lines.push_back(fmt::format(
        "--functions: more functions match than can be regions; these are the first {} that the "
        "program was linked with: a narrower glob gives others.",
        ROOFMARK_MOST_HOOKS - 1));
  if (redirected.has_deep)
    lines.push_back(
        "--functions: calls were nested more than 512 deep; those beyond are part of the ones "
        "around them.");
  for (const std::string& name : means.let_go)
    lines.push_back(fmt::format(
        "--functions: {} was called more than {} times, and probing a call costs {:.2g} s: it was "
        "let go, and is no region. Annotate it, or name what calls it.",
        name, most_probed_calls, means.probe_cost_s.value_or(0)));
  if (!means.of_executable.empty() && means.not_probed)
    lines.push_back("--functions: functions of the executable are not timed: " +
                    to_line(*means.not_probed) + ".");
  if (means.lost > 0)
    lines.push_back(
        fmt::format("--functions: {} entries and returns were lost, so functions of "
                    "the executable have no time: name fewer.",
                    means.lost));
  return lines;
}

}  // namespace roofmark

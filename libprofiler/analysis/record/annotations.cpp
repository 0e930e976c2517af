#include <unistd.h>

#include <algorithm>
#include <analysis/record/annotations.hpp>
#include <analysis/record/launch.hpp>
#include <array>
#include <optional>

namespace roofmark {
namespace {

constexpr const char* readers_name = "libroofmark-readers.so";

/// A tool whose program loads what this variable names. The others' functions are stood in front
/// of.
struct Injection {
  const char* tool;
  const char* what;  ///< for the user
  const char* variable;
  bool only_asked;  ///< where it is named: a program may notice it
};
constexpr std::array injections = {
    Injection{"nvtx", "NVTX ranges", "NVTX_INJECTION64_PATH", false},
    Injection{"itt", "ITT tasks", "INTEL_LIBITTNOTIFY64", false},
    Injection{"kokkos", "Kokkos' kernels and regions", "KOKKOS_TOOLS_LIBS", false},
    // Before Kokkos 3.5; later ones warn of it.
    Injection{"kokkos", "Kokkos' kernels and regions", "KOKKOS_PROFILE_LIBRARY", true},
};

/// Not by themselves: each function of a program that was compiled with -finstrument-functions
/// would cost what a region costs, and parallel regions would stand between the program's own.
constexpr std::array never_automatic = {"cyg", "openmp"};

std::optional<std::string> value_of(const std::vector<std::string>& environment,
                                    const std::string& name) {
  const std::string start = name + "=";
  for (const std::string& variable : environment)
    if (variable.rfind(start, 0) == 0 && variable.size() > start.size())
      return variable.substr(start.size());
  return std::nullopt;
}

}  // namespace

const std::vector<std::string>& annotation_tools() {
  static const std::vector<std::string> tools = {"nvtx",    "itt",    "likwid", "papi",
                                                 "caliper", "kokkos", "cyg",    "openmp"};
  return tools;
}

bool reads_functions(const Annotations& annotations) {
  return std::any_of(annotations.tools.begin(), annotations.tools.end(),
                     [](const std::string& tool) { return tool == "cyg" || tool == "openmp"; });
}

Result<Annotations> parse_annotations(const std::string& text) {
  Annotations annotations;
  if (text == "none") return annotations;
  if (text == "auto") {
    annotations.automatic = true;
    for (const std::string& tool : annotation_tools())
      if (std::find(never_automatic.begin(), never_automatic.end(), tool) == never_automatic.end())
        annotations.tools.push_back(tool);
    return annotations;
  }
  std::vector<std::string> named;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    named.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  for (const std::string& name : named)
    if (std::find(annotation_tools().begin(), annotation_tools().end(), name) ==
        annotation_tools().end()) {
      std::string known;
      for (const std::string& tool : annotation_tools())
        known += (known.empty() ? "" : ", ") + tool;
      return tl::unexpected(Problem{"no annotations are read of `" + name + "`",
                                    "--annotations " + text, "auto, none, or some of " + known});
    }
  for (const std::string& tool : annotation_tools())
    if (std::find(named.begin(), named.end(), tool) != named.end())
      annotations.tools.push_back(tool);
  return annotations;
}

std::vector<std::string> add_readers(const Annotations& annotations,
                                     const std::filesystem::path& lib,
                                     std::vector<std::string>& environment) {
  std::vector<std::string> notes;
  if (annotations.tools.empty()) return notes;
  const std::string readers = (lib / readers_name).string();
  if (access(readers.c_str(), R_OK) != 0) {
    notes.push_back("Other tools' annotations are not read: " + readers +
                    " is not there; install Roofmark again.");
    return notes;
  }
  std::string list;
  for (const std::string& tool : annotations.tools) list += (list.empty() ? "" : ",") + tool;
  set_variable(environment, "ROOFMARK_ANNOTATIONS", list);
  set_variable(environment, "LD_PRELOAD", readers, ':');
  for (const Injection& injection : injections) {
    if (injection.only_asked && annotations.automatic) continue;
    if (std::find(annotations.tools.begin(), annotations.tools.end(), injection.tool) ==
        annotations.tools.end())
      continue;
    const auto set = value_of(environment, injection.variable);
    if (!set)
      set_variable(environment, injection.variable, readers);
    else if (*set != readers)
      notes.push_back(std::string(injection.what) + " are not read: " + injection.variable +
                      " names another tool (" + *set +
                      "), which gets them; unset it to have them here.");
  }
  return notes;
}

}  // namespace roofmark

#include <algorithm>
#include <analysis/record/called_functions.hpp>
#include <analysis/record/found_functions.hpp>
#include <analysis/record/recorded_functions.hpp>
#include <analysis/record/shortage.hpp>
#include <exception>
#include <string>
#include <vector>

namespace roofmark {

void find_functions(const NativeRun& native, JoinInput& input) {
  if (!native.sampled || !input.native.empty()) return;
  try {
    auto found = *native.sampled ? found_functions(**native.sampled, native.whole)
                                 : Result<FoundProgram>(tl::unexpected(native.sampled->error()));
    if (found)
      input.found = std::move(*found);
    else
      input.not_found = found.error();
  } catch (const std::exception& error) {
    input.not_found = shortage(error);
  }
}

void settle_functions(NativeRun& native, ExecutableFunctions& of_executable) {
  if (of_executable.functions.empty()) return;
  native.sampled.reset();
  if (!native.probed || !*native.probed) return;
  const auto& let_go = (*native.probed)->let_go;
  std::erase_if(of_executable.functions, [&](const ExecutableFunction& function) {
    return std::find(let_go.begin(), let_go.end(), function.name) != let_go.end();
  });
}

void add_called_functions(const RecordOptions& options, const ExecutableFunctions& of_executable,
                          const NativeRun& native,
                          const std::optional<std::filesystem::path>& arenas,
                          const JoinInput& input, Profile& profile) {
  FunctionMeans means;
  if (arenas) means.redirected = read_redirected(*arenas);
  means.no_redirection = native.no_functions;
  means.object = of_executable.object;
  means.met = of_executable.met;
  for (const ExecutableFunction& function : of_executable.functions)
    means.of_executable.insert(function.name);
  if (native.probed && *native.probed) {
    means.let_go = (*native.probed)->let_go;
    means.lost = (*native.probed)->lost;
    means.probe_cost_s = (*native.probed)->cost_s;
  } else if (native.probed) {
    means.not_probed = native.probed->error();
  }
  std::vector<std::string> lines = of_executable.lines;
  for (std::string& line : describe_functions(options.functions, means, input, profile))
    lines.push_back(std::move(line));
  for (std::string& line : lines) {
    if (options.tell) options.tell(line);
    profile.notes.push_back(std::move(line));
  }
}

}  // namespace roofmark

#include <analysis/functions/find_functions.hpp>
#include <analysis/record/found_functions.hpp>
#include <analysis/symbols/object_symbols.hpp>
#include <map>
#include <memory>

namespace roofmark {

Result<FoundProgram> found_functions(const sampling::SampledRun& run, const WholeProgram& whole) {
  std::map<std::string, std::unique_ptr<symbols::ObjectSymbols>> opened;
  const auto symbols_of = [&](const std::string& object) {
    const auto [found, is_new] = opened.try_emplace(object);
    if (is_new)
      if (auto read = symbols::open_object(object)) found->second = std::move(*read);
    return found->second.get();
  };
  auto found =
      functions::find_functions(run, {whole.user_s, whole.system_s, whole.wall_s}, symbols_of);
  if (found)
    if (const auto problem = symbols::unavailable())
      found->notes.push_back(
          "Functions are not told apart, object files are: " + to_line(*problem) + ".");
  return found;
}

}  // namespace roofmark

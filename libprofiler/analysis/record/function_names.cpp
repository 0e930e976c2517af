#include <analysis/record/function_names.hpp>
#include <analysis/symbols/names.hpp>
#include <map>
#include <set>
#include <string>
#include <utility>

namespace roofmark {

std::map<std::string, std::string> readable_names(const std::set<std::string>& names) {
  std::map<std::string, std::string> chosen;
  std::map<std::string, unsigned> uses;
  for (const std::string& name : names) {
    std::string text = symbols::demangled(name);
    ++uses[text];
    if (text != name) chosen[name] = std::move(text);
  }
  std::erase_if(chosen, [&](const auto& one) { return uses[one.second] > 1; });
  return chosen;
}

void name_functions(std::vector<Region>& regions) {
  std::set<std::string> names;
  for (const Region& region : regions) names.insert(region.path.begin(), region.path.end());
  const auto chosen = readable_names(names);
  for (Region& region : regions)
    for (std::string& name : region.path)
      if (const auto found = chosen.find(name); found != chosen.end()) name = found->second;
}

}  // namespace roofmark

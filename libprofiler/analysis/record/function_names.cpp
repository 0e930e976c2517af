#include <analysis/record/function_names.hpp>
#include <analysis/symbols/names.hpp>
#include <map>
#include <set>
#include <string>
#include <utility>

namespace roofmark {
void name_functions(std::vector<Region>& regions) {
  std::set<std::string> names;
  for (const Region& region : regions) names.insert(region.path.begin(), region.path.end());
  std::map<std::string, std::string> chosen;
  std::map<std::string, unsigned> uses;
  for (const std::string& name : names) {
    std::string text = symbols::demangled(name);
    ++uses[text];
    if (text != name) chosen[name] = std::move(text);
  }
  for (Region& region : regions)
    for (std::string& name : region.path)
      if (const auto found = chosen.find(name); found != chosen.end() && uses[found->second] == 1)
        name = found->second;
}

}  // namespace roofmark

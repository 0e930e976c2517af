#include <cxxabi.h>

#include <analysis/record/function_names.hpp>
#include <cstdlib>
#include <map>
#include <memory>
#include <set>
#include <string>

namespace roofmark {
namespace {

/// Empty where it is no name of a C++ compiler's.
std::string demangled(const std::string& name) {
  if (name.compare(0, 2, "_Z") != 0) return {};
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> text(
      abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), std::free);
  return status == 0 && text ? std::string(text.get()) : std::string();
}

}  // namespace

void name_functions(std::vector<Region>& regions) {
  std::set<std::string> names;
  for (const Region& region : regions) names.insert(region.path.begin(), region.path.end());
  std::map<std::string, std::string> chosen;
  std::map<std::string, unsigned> uses;
  for (const std::string& name : names) {
    std::string text = demangled(name);
    ++uses[text.empty() ? name : text];
    if (!text.empty()) chosen[name] = std::move(text);
  }
  for (Region& region : regions)
    for (std::string& name : region.path)
      if (const auto found = chosen.find(name); found != chosen.end() && uses[found->second] == 1)
        name = found->second;
}

}  // namespace roofmark

#include <fmt/format.h>

#include <analysis/functions/code_names.hpp>
#include <analysis/sampling/sampled_run.hpp>

namespace roofmark::functions {
namespace {

std::string base_name(const std::string& path) {
  return path.substr(path.rfind('/') + 1);
}

}  // namespace

std::string name_of_object(const std::string& object) {
  if (object == sampling::no_object) return "(code made at run time)";
  if (object == sampling::kernel_object) return "(kernel)";
  return object.front() == '[' ? object : "[" + base_name(object) + "]";
}

std::string name_of_loop(const std::string& file, unsigned first_line, unsigned last_line,
                         std::uint64_t offset) {
  if (first_line == 0) return fmt::format("loop +{:#x}", offset);
  std::string name = "loop " + base_name(file) + ":" + std::to_string(first_line);
  if (last_line > first_line) name += "-" + std::to_string(last_line);
  return name;
}

std::string UniqueNames::take(const std::string& name, const std::string& object) {
  if (taken_.insert(name).second) return name;
  const std::string longer = object.empty() ? name : name + " [" + base_name(object) + "]";
  if (taken_.insert(longer).second) return longer;
  for (int number = 2;; ++number)
    if (const std::string unique = longer + " #" + std::to_string(number);
        taken_.insert(unique).second)
      return unique;
}

}  // namespace roofmark::functions

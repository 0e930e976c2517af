#include <elf.h>
#include <link.h>

#include <analysis/files/command_output.hpp>
#include <analysis/record/loaded_libraries.hpp>
#include <analysis/text/parsing.hpp>
#include <sstream>
#include <string>

namespace roofmark {
namespace {

/// The loader that this process was started by: the target's too, where both are of one kind.
std::string own_loader() {
  std::string loader;
  dl_iterate_phdr(
      [](dl_phdr_info* object, std::size_t, void* found) {
        for (int i = 0; i < object->dlpi_phnum; ++i)
          if (object->dlpi_phdr[i].p_type == PT_INTERP)
            *static_cast<std::string*>(found) =
                reinterpret_cast<const char*>(object->dlpi_addr + object->dlpi_phdr[i].p_vaddr);
        return 1;  // the first is the program
      },
      &loader);
  return loader;
}

}  // namespace

std::vector<std::string> loaded_libraries(const std::filesystem::path& program) {
  std::vector<std::string> names;
  const std::string loader = own_loader();
  if (loader.empty() || program.empty()) return names;
  std::istringstream lines(
      output_of({loader, "--list", program.string()}, {}, Messages::hidden).text);
  // "	libblas.so.3 => /lib/libblas.so.3 (0x...)"
  for (std::string line; std::getline(lines, line);) {
    const std::string_view name = text::trimmed(std::string_view(line).substr(0, line.find(" ")));
    if (const std::size_t slash = name.rfind('/'); slash != std::string_view::npos)
      names.emplace_back(name.substr(slash + 1));
    else if (!name.empty())
      names.emplace_back(name);
  }
  return names;
}

}  // namespace roofmark

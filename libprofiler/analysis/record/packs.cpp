#include <unistd.h>

#include <algorithm>
#include <analysis/record/loaded_libraries.hpp>
#include <analysis/record/packs.hpp>
#include <array>
#include <string_view>

namespace roofmark {
namespace {

struct Pack {
  std::string_view name;
  /// How the files of libraries begin that have its functions, or load one that has.
  std::array<std::string_view, 9> libraries;
};
constexpr std::array known = {
    Pack{"blas",
         {"libblas", "libcblas", "libopenblas", "libmkl_", "libblis", "libatlas", "libsatlas",
          "libtatlas", "libarmpl"}},
    Pack{"lapack",
         {"liblapack", "libopenblas", "libmkl_", "libflame", "libatlas", "libsatlas", "libtatlas",
          "libarmpl", "libscalapack"}},
    Pack{"fftw", {"libfftw3", "libmkl_", "libarmpl"}},
};

const Pack* pack_of(std::string_view name) {
  const auto found =
      std::find_if(known.begin(), known.end(), [&](const Pack& pack) { return pack.name == name; });
  return found == known.end() ? nullptr : &*found;
}

bool uses(const Pack& pack, const std::vector<std::string>& loaded) {
  return std::any_of(loaded.begin(), loaded.end(), [&](const std::string& library) {
    return std::any_of(pack.libraries.begin(), pack.libraries.end(), [&](std::string_view start) {
      return !start.empty() && library.rfind(start, 0) == 0;
    });
  });
}

}  // namespace

Result<PackChoice> pack_choice(const std::string& choice) {
  PackChoice chosen;
  if (choice == "none") return chosen;
  if (choice == "auto") {
    for (const Pack& pack : known) chosen.names.emplace_back(pack.name);
    return chosen;
  }
  chosen.asked = true;
  for (std::size_t begin = 0; begin <= choice.size();) {
    const std::size_t end = std::min(choice.find(',', begin), choice.size());
    const std::string name = choice.substr(begin, end - begin);
    if (pack_of(name) == nullptr)
      return tl::unexpected(Problem{"no such library pack", "`" + name + "`",
                                    "auto, none, or of blas, lapack and fftw some, with commas"});
    if (std::find(chosen.names.begin(), chosen.names.end(), name) == chosen.names.end())
      chosen.names.push_back(name);
    begin = end + 1;
  }
  return chosen;
}

Packs find_packs(const InstallPaths& install, const PackChoice& choice,
                 const std::vector<std::filesystem::path>& programs) {
  Packs packs;
  if (choice.names.empty()) return packs;
  std::vector<std::string> loaded;
  if (!choice.asked)
    for (const std::filesystem::path& program : programs)
      for (std::string& library : loaded_libraries(program)) loaded.push_back(std::move(library));
  for (const std::string& name : choice.names) {
    if (!choice.asked && !uses(*pack_of(name), loaded)) continue;
    const std::filesystem::path file = install.lib / ("libroofmark-" + name + ".so");
    if (access(file.c_str(), R_OK) == 0)
      packs.libraries.push_back(file);
    else if (choice.asked)
      packs.missing.push_back({"the library pack is not there, so its calls are no regions",
                               file.string(), "reinstall Roofmark, or leave out --packs"});
  }
  return packs;
}

std::string preload_text(const std::filesystem::path& runtime,
                         const std::vector<std::filesystem::path>& packs) {
  std::string text = runtime.string();
  for (const std::filesystem::path& pack : packs) text += ":" + pack.string();
  return text;
}

}  // namespace roofmark

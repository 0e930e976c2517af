#include <unistd.h>

#include <algorithm>
#include <analysis/record/packs.hpp>
#include <array>
#include <string_view>

namespace roofmark {
namespace {

constexpr std::array<std::string_view, 3> known = {"blas", "lapack", "fftw"};

}  // namespace

Result<PackChoice> pack_choice(const std::string& choice) {
  PackChoice chosen;
  if (choice == "none") return chosen;
  if (choice == "auto") {
    chosen.names.assign(known.begin(), known.end());
    return chosen;
  }
  chosen.asked = true;
  for (std::size_t begin = 0; begin <= choice.size();) {
    const std::size_t end = std::min(choice.find(',', begin), choice.size());
    const std::string name = choice.substr(begin, end - begin);
    if (std::find(known.begin(), known.end(), name) == known.end())
      return tl::unexpected(Problem{"no such library pack", "`" + name + "`",
                                    "auto, none, or of blas, lapack and fftw some, with commas"});
    if (std::find(chosen.names.begin(), chosen.names.end(), name) == chosen.names.end())
      chosen.names.push_back(name);
    begin = end + 1;
  }
  return chosen;
}

Packs find_packs(const InstallPaths& install, const PackChoice& choice) {
  Packs packs;
  for (const std::string& name : choice.names) {
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

#include <dlfcn.h>

#include <algorithm>
#include <analysis/record/gpu_signs.hpp>
#include <analysis/record/loaded_libraries.hpp>
#include <collectors/emulated/elf_file.hpp>
#include <cstdlib>
#include <fstream>
#include <string>

namespace roofmark {
namespace {

constexpr const char* driver_library = "libcuda.so";

bool is_of_cuda(std::string_view library) {
  return library.starts_with(driver_library) || library.starts_with("libcudart.so");
}

}  // namespace

bool has_cuda_driver() {
  const char* const given = std::getenv("ROOFMARK_CUDA_LIBRARY");
  // Loading it starts nothing: that is cuInit's to do.
  void* const library = dlopen(given != nullptr ? given : "libcuda.so.1", RTLD_LAZY | RTLD_LOCAL);
  if (library == nullptr) return false;
  dlclose(library);
  return true;
}

bool has_cuda_signs(const std::filesystem::path& program) {
  const auto libraries = loaded_libraries(program);
  if (std::any_of(libraries.begin(), libraries.end(), is_of_cuda)) return true;
  const auto file = emulated::ElfFile::read(program);
  if (!file) return false;
  const auto& sections = file->sections();
  return std::any_of(sections.begin(), sections.end(), [](const emulated::ElfSection& section) {
    return section.name == ".nv_fatbin" || section.name == ".nvFatBinSegment";
  });
}

bool has_loaded_cuda(int pid) {
  std::ifstream maps("/proc/" + std::to_string(pid) + "/maps");
  for (std::string line; std::getline(maps, line);) {
    const std::size_t slash = line.rfind('/');
    if (slash != std::string::npos &&
        std::string_view(line).substr(slash + 1).starts_with(driver_library))
      return true;
  }
  return false;
}

}  // namespace roofmark

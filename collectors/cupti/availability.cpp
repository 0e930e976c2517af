#include "availability.hpp"

#include <dlfcn.h>

#include <fstream>
#include <string_view>

#include "error_table.hpp"
#include "host_api.hpp"

namespace roofmark::cupti {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t cap_sys_admin = std::uint64_t{1} << 21,
                        cap_perfmon = std::uint64_t{1} << 38;
constexpr unsigned first_driver_that_knows_perfmon = 565;

Problem problem_of(const Explanation& why, const std::string& where) {
  return {why.reason, where, why.fix};
}

/// "NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.104.05  Sat Aug ...": the first word that
/// begins with a number and a dot.
std::string driver_version(const fs::path& root) {
  std::ifstream file(root / "proc/driver/nvidia/version");
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  std::string word;
  while (file >> word) {
    const auto dot = word.find('.');
    if (dot == word.npos || dot == 0 || dot + 1 == word.size()) continue;
    bool number = digit(word[dot + 1]);
    for (std::size_t i = 0; i < dot; ++i) number = number && digit(word[i]);
    if (number) return word;
  }
  return {};
}

/// The driver lets administrators alone read counters. Absent: it does not say.
std::optional<bool> admin_only(const fs::path& root) {
  std::ifstream file(root / "proc/driver/nvidia/params");
  for (std::string line; std::getline(file, line);) {
    constexpr std::string_view name = "RmProfilingAdminOnly:";
    if (line.starts_with(name)) return line.find('1', name.size()) != line.npos;
  }
  return std::nullopt;
}

bool has_a_device(const fs::path& root) {
  std::error_code fault;
  const fs::directory_iterator devices(root / "proc/driver/nvidia/gpus", fault);
  // A driver that does not list its devices is asked by the program itself.
  return fault || devices != fs::directory_iterator();
}

bool loads_libcuda() {
  void* const library = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL);
  if (library != nullptr) dlclose(library);
  return library != nullptr;
}

std::optional<Problem> problem_of_cupti() {
  const auto loaded = HostApi::load();
  return loaded ? std::nullopt : std::optional(loaded.error());
}

std::optional<Problem> why_no_times(const AvailabilityOptions& options, const std::string& driver) {
  std::error_code fault;
  if (!fs::exists(options.plugin, fault))
    return Problem{"this Roofmark was built without CUPTI", options.plugin.string(),
                   "install the headers of CUDA 12.6 or newer and build it again"};
  const bool windows = fs::exists(options.root / "dev/dxg", fault);  // WSL: the host's driver
  if (driver.empty() && !windows)
    return Problem{"there is no NVIDIA driver",
                   (options.root / "proc/driver/nvidia/version").string(),
                   "install the driver; in a container: --gpus all"};
  if (!windows && !has_a_device(options.root))
    return Problem{"the NVIDIA driver has no GPU",
                   (options.root / "proc/driver/nvidia/gpus").string(),
                   "in a container: --gpus all"};
  const auto& loads = options.loads_driver;
  if (!(loads ? loads() : loads_libcuda())) return problem_of(explain("no_driver"), "");
  return options.cupti_problem ? options.cupti_problem() : problem_of_cupti();
}

std::optional<Problem> why_no_counters(const AvailabilityOptions& options,
                                       const std::string& driver) {
  if (!admin_only(options.root).value_or(false)) return std::nullopt;
  std::uint64_t enough = cap_sys_admin;
  if (std::strtoul(driver.c_str(), nullptr, 10) >= first_driver_that_knows_perfmon)
    enough |= cap_perfmon;
  if ((options.capabilities & enough) != 0) return std::nullopt;
  return problem_of(explain(35), (options.root / "proc/driver/nvidia/params").string());
}

}  // namespace

Availability availability(const AvailabilityOptions& options) {
  Availability found;
  found.driver = driver_version(options.root);
  found.times = why_no_times(options, found.driver);
  found.counters = found.times ? found.times : why_no_counters(options, found.driver);
  return found;
}

}  // namespace roofmark::cupti

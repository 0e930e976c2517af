#include "kernel_paths.hpp"

#include <algorithm>
#include <analysis/symbols/names.hpp>
#include <map>
#include <utility>

namespace roofmark {
namespace {

std::string short_name(const KernelKey& kernel) {
  return symbols::shortened(symbols::demangled(kernel.symbol));
}
std::string whole_name(const KernelKey& kernel) {
  return symbols::demangled(kernel.symbol);
}

using SymbolsByName = std::map<std::pair<RegionPath, std::string>, std::set<std::string>>;

template <class Name>
SymbolsByName symbols_by(const std::vector<KernelKey>& kernels, Name name_of) {
  SymbolsByName symbols;
  for (const KernelKey& kernel : kernels)
    symbols[{kernel.path, name_of(kernel)}].insert(kernel.symbol);
  return symbols;
}

}  // namespace

std::vector<RegionPath> kernel_paths(const std::vector<KernelKey>& kernels,
                                     const std::vector<std::string>& devices,
                                     std::set<RegionPath> taken) {
  const SymbolsByName of_short = symbols_by(kernels, short_name);
  const SymbolsByName of_whole = symbols_by(kernels, whole_name);
  std::map<std::pair<RegionPath, std::string>, std::size_t> on_devices;
  for (const KernelKey& kernel : kernels) ++on_devices[{kernel.path, kernel.symbol}];
  std::vector<RegionPath> paths;
  for (const KernelKey& kernel : kernels) {
    std::string name = short_name(kernel);
    if (of_short.at({kernel.path, name}).size() > 1) name = whole_name(kernel);
    if (of_whole.at({kernel.path, whole_name(kernel)}).size() > 1) name = kernel.symbol;
    if (on_devices.at({kernel.path, kernel.symbol}) > 1) {
      const auto number = std::find(devices.begin(), devices.end(), kernel.device);
      name += " [GPU " + std::to_string(number - devices.begin()) + "]";
    }
    RegionPath path = kernel.path;
    path.push_back(std::move(name));
    // A region of the host may bear the kernel's name.
    while (!taken.insert(path).second) path.back() += " [kernel]";
    paths.push_back(std::move(path));
  }
  return paths;
}

}  // namespace roofmark

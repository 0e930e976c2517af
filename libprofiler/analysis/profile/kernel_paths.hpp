// What kernels are called as regions: short, with as much as tells those of one place apart.
#pragma once

#include <analysis/join/gpu_collect.hpp>
#include <set>
#include <string>
#include <vector>

namespace roofmark {

/// One for each kernel. `devices`: by their numbers, which "[GPU 1]" is; `taken`: paths that
/// regions of the host have.
std::vector<RegionPath> kernel_paths(const std::vector<KernelKey>& kernels,
                                     const std::vector<std::string>& devices,
                                     std::set<RegionPath> taken);

}  // namespace roofmark

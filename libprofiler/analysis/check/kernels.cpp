#include "kernels.hpp"

#include "kernel_parts.hpp"

namespace roofmark::check {

std::vector<Kernel> kernels_here() {
#if defined(__x86_64__) || defined(__aarch64__)
  return architecture_kernels();
#else
  return {};
#endif
}

std::uint64_t expected_work(const Kernel& kernel, std::uint64_t iterations) {
  return kernel.per_iteration * iterations;
}

}  // namespace roofmark::check

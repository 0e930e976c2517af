// Which kernel has the resctrl file system on this architecture.
#pragma once

namespace roofmark::resctrl {

#if defined(__aarch64__)
inline constexpr const char* kernel_with_resctrl = "boot a kernel with CONFIG_ARM64_MPAM=y";
#else
inline constexpr const char* kernel_with_resctrl = "boot a kernel with CONFIG_X86_CPU_RESCTRL=y";
#endif

}  // namespace roofmark::resctrl

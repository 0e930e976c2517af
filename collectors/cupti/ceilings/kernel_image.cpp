#include "kernel_image.hpp"

#ifdef ROOFMARK_GPU_KERNELS
// The file that nvcc wrote, as it is.
asm(".section .rodata\n"
    ".balign 64\n"
    ".hidden roofmark_gpu_kernels\n"
    ".global roofmark_gpu_kernels\n"
    "roofmark_gpu_kernels:\n"
    ".incbin \"" ROOFMARK_GPU_KERNELS
    "\"\n"
    ".hidden roofmark_gpu_kernels_end\n"
    ".global roofmark_gpu_kernels_end\n"
    "roofmark_gpu_kernels_end:\n"
    ".previous\n");
extern "C" const unsigned char roofmark_gpu_kernels[];
extern "C" const unsigned char roofmark_gpu_kernels_end[];
#endif

namespace roofmark::cupti {

const void* kernel_image() {
#ifdef ROOFMARK_GPU_KERNELS
  return roofmark_gpu_kernels;
#else
  return nullptr;
#endif
}

std::string_view kernel_image_bytes() {
#ifdef ROOFMARK_GPU_KERNELS
  return {reinterpret_cast<const char*>(roofmark_gpu_kernels),
          static_cast<std::size_t>(roofmark_gpu_kernels_end - roofmark_gpu_kernels)};
#else
  return {};
#endif
}

}  // namespace roofmark::cupti

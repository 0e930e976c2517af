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
    ".previous\n");
extern "C" const unsigned char roofmark_gpu_kernels[];
#endif

namespace roofmark::cupti {

const void* kernel_image() {
#ifdef ROOFMARK_GPU_KERNELS
  return roofmark_gpu_kernels;
#else
  return nullptr;
#endif
}

}  // namespace roofmark::cupti

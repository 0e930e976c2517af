// The driver, loaded and never linked.
#pragma once

#include <cuda.h>

namespace roofmark::cupti {

// Name in libcuda, member. cuda.h renames some by macros: the second word is for the type.
// clang-format off
#define ROOFMARK_CUDA_FUNCTIONS(each) \
  each("cuDriverGetVersion", cuDriverGetVersion) \
  each("cuDeviceGetCount", cuDeviceGetCount) \
  each("cuDeviceGet", cuDeviceGet) \
  each("cuDeviceGetName", cuDeviceGetName) \
  each("cuDeviceGetUuid_v2", cuDeviceGetUuid_v2) \
  each("cuDeviceTotalMem_v2", cuDeviceTotalMem_v2) \
  each("cuDeviceGetAttribute", cuDeviceGetAttribute)
// clang-format on

struct CudaDriver {
#define ROOFMARK_MEMBER(name, function) decltype(&::function) function = nullptr;
  ROOFMARK_CUDA_FUNCTIONS(ROOFMARK_MEMBER)
#undef ROOFMARK_MEMBER

  /// False: there is none, or it lacks a function.
  bool load();
};

}  // namespace roofmark::cupti

# Finds what the GPU collector can be built with. Nothing of it is ever linked: headers of CUDA and CUPTI, and nvcc for
# the kernels that measure a GPU's ceilings. All may be absent.
#   ROOFMARK_CUDA_INCLUDE   holds cuda.h and cupti_range_profiler.h (CUPTI 12.6 and later); or ROOFMARK_CUPTI_FOUND is off
#   ROOFMARK_CUPTI_LIBRARY  libcupti.so, for tests alone: their rpath
#   ROOFMARK_NVCC           the compiler, or NOTFOUND
# Hints: -DROOFMARK_CUDA_ROOT, the environment's CUDA_HOME and CUDA_PATH, /usr/local/cuda*.
option(ROOFMARK_CUDA "Use the headers of CUDA and CUPTI, and nvcc, where they are found" ON)
set(ROOFMARK_CUDA_ROOT "" CACHE PATH "Where CUDA is installed; empty: looked for")
file(GLOB cuda_folders /usr/local/cuda /usr/local/cuda-*)
list(SORT cuda_folders COMPARE NATURAL ORDER DESCENDING)
if(ROOFMARK_CUDA_ROOT)
  set(cuda_folders ${ROOFMARK_CUDA_ROOT})
else()
  list(PREPEND cuda_folders $ENV{CUDA_HOME} $ENV{CUDA_PATH})
endif()

set(ROOFMARK_CUPTI_FOUND FALSE)
if(ROOFMARK_CUDA)
  find_path(ROOFMARK_CUPTI_INCLUDE cupti_range_profiler.h HINTS ${cuda_folders}
    PATH_SUFFIXES include extras/CUPTI/include targets/x86_64-linux/include targets/sbsa-linux/include)
  find_path(ROOFMARK_CUDA_INCLUDE cuda.h HINTS ${cuda_folders}
    PATH_SUFFIXES include targets/x86_64-linux/include targets/sbsa-linux/include)
  find_library(ROOFMARK_CUPTI_LIBRARY cupti HINTS ${cuda_folders}
    PATH_SUFFIXES lib64 lib extras/CUPTI/lib64 targets/x86_64-linux/lib targets/sbsa-linux/lib)
  find_program(ROOFMARK_NVCC nvcc HINTS ${cuda_folders} PATH_SUFFIXES bin)
  if(ROOFMARK_CUPTI_INCLUDE AND ROOFMARK_CUDA_INCLUDE)
    set(ROOFMARK_CUPTI_FOUND TRUE)
  endif()
else()
  set(ROOFMARK_NVCC NOTFOUND)
endif()
mark_as_advanced(ROOFMARK_CUPTI_INCLUDE ROOFMARK_CUDA_INCLUDE ROOFMARK_CUPTI_LIBRARY ROOFMARK_NVCC)

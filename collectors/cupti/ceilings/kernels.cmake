# Microkernels of GPUs: compiled where there is nvcc, for the architectures that it knows, and embedded. Without it
# ceilings of GPUs are theoretical.
target_sources(roofmark_analysis PRIVATE ceilings/driver.cpp ceilings/kernel_image.cpp ceilings/measure_gpus.cpp
  ceilings/measured.cpp ceilings/microkernels.cpp ceilings/theory.cpp)
if(NOT ROOFMARK_NVCC)
  message(STATUS "GPU ceilings: theoretical alone (no nvcc; -DROOFMARK_CUDA_ROOT names a CUDA)")
  return()
endif()
execute_process(COMMAND ${ROOFMARK_NVCC} --list-gpu-code OUTPUT_VARIABLE known ERROR_QUIET)
include(${CMAKE_CURRENT_LIST_DIR}/gpu_code.cmake)
roofmark_gpu_code("${known}" ROOFMARK_GPU_CODE)
if(NOT ROOFMARK_GPU_CODE)
  message(STATUS "GPU ceilings: theoretical alone (${ROOFMARK_NVCC} compiles for no GPU that has them)")
  return()
endif()
set(kernels ${CMAKE_CURRENT_BINARY_DIR}/kernels.fatbin)
set(ceilings ${CMAKE_CURRENT_SOURCE_DIR}/ceilings)
add_custom_command(OUTPUT ${kernels}
  COMMAND ${ROOFMARK_NVCC} -std=c++17 -O3 -fatbin -allow-unsupported-compiler ${ROOFMARK_GPU_CODE} -o ${kernels} ${ceilings}/kernels.cu
  DEPENDS ${ceilings}/kernels.cu ${ceilings}/tcgen05.cuh ${ceilings}/wgmma.cuh VERBATIM
  COMMENT "Microkernels of GPUs")
set_source_files_properties(${ceilings}/kernel_image.cpp TARGET_DIRECTORY roofmark_analysis PROPERTIES
  COMPILE_DEFINITIONS ROOFMARK_GPU_KERNELS="${kernels}" OBJECT_DEPENDS ${kernels})
add_custom_target(roofmark_gpu_kernels DEPENDS ${kernels})
add_dependencies(roofmark_analysis roofmark_gpu_kernels)

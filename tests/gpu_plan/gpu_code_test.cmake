# What is compiled for which GPUs, by what an nvcc knows: cmake -P.
include(${CMAKE_CURRENT_LIST_DIR}/../../collectors/cupti/ceilings/gpu_code.cmake)

function(expect known)
  string(REPLACE " " "\n" listed "${known}")
  roofmark_gpu_code("${listed}\n" made)
  list(FILTER made EXCLUDE REGEX "^-gencode$")
  list(TRANSFORM made REPLACE "^arch=compute_[0-9a-z]+,code=" "")
  if(NOT "${made}" STREQUAL "${ARGN}")
    message(SEND_ERROR "of ${known}:\n  ${made}\nand not\n  ${ARGN}")
  endif()
endfunction()

# 12.4: PTX of 8.0 for everything behind it.
expect("sm_75 sm_80 sm_86 sm_87 sm_89 sm_90" sm_75 sm_80 sm_89 sm_90a compute_80)
# 12.8: no 10.3, which 100a does not run on: it has PTX of 10.0.
expect("sm_75 sm_80 sm_86 sm_87 sm_89 sm_90 sm_100 sm_101 sm_120" sm_75 sm_80 sm_89 sm_90a sm_100a sm_120 compute_80 compute_100 compute_120)
# 13.0
expect("sm_75 sm_80 sm_86 sm_87 sm_88 sm_89 sm_90 sm_100 sm_110 sm_103 sm_120 sm_121"
  sm_75 sm_80 sm_89 sm_90a sm_100a sm_103 sm_120 compute_80 compute_100 compute_120)
# One that knows none of them.
expect("sm_60 sm_70" "")

# For which GPUs an nvcc is asked to compile: `known` is what its --list-gpu-code prints.
# 90a for wgmma, 100a for tcgen05: code of these runs on no other chip, whatever its generation. Code of the others runs on later
# chips of the same generation.
# PTX for chips of none of them: the driver compiles the highest that a chip takes. That of 10.0 is for 10.3 and later 10.x where
# this nvcc does not know 10.3, and for generations behind it: it has all but the tensor units' own instructions of a chip.
function(roofmark_gpu_code known result)
  set(all "")
  foreach(code 75 80 89 90a 100a 103 120)
    string(REGEX REPLACE "[a-z]" "" number ${code})
    if(known MATCHES "sm_${number}(\n|$)")
      list(APPEND all -gencode arch=compute_${code},code=sm_${code})
    endif()
  endforeach()
  if(all)
    foreach(code 80 100 120)
      if(known MATCHES "sm_${code}(\n|$)")
        list(APPEND all -gencode arch=compute_${code},code=compute_${code})
      endif()
    endforeach()
  endif()
  set(${result} "${all}" PARENT_SCOPE)
endfunction()

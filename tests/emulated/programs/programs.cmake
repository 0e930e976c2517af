# Programs that the tests run under the emulator, in build/tests/programs. Their flags are fixed: closed
# forms hold for the code that these make, whatever the build type is.
set(ROOFMARK_TEST_PROGRAM_TARGETS "")
set(programs_directory ${CMAKE_CURRENT_LIST_DIR})

function(roofmark_test_program name source)
  cmake_parse_arguments(ARG "" "" "FLAGS;LIBS" ${ARGN})
  set(target test_program_${name})
  add_executable(${target} ${programs_directory}/${source})
  set_target_properties(${target} PROPERTIES OUTPUT_NAME ${name}
    RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/tests/programs")
  target_compile_options(${target} PRIVATE -Wall -Wextra -g ${ARG_FLAGS})
  target_link_libraries(${target} PRIVATE roofmark_annotate ${ARG_LIBS} m ${CMAKE_DL_LIBS})
  set(ROOFMARK_TEST_PROGRAM_TARGETS ${ROOFMARK_TEST_PROGRAM_TARGETS} ${target} PARENT_SCOPE)
endfunction()

roofmark_test_program(kernels_scalar kernels.c FLAGS -O2 -fno-tree-vectorize -fno-math-errno)
roofmark_test_program(kernels_sse2 kernels.c FLAGS -O3 -fno-math-errno)
roofmark_test_program(kernels_fma kernels.c FLAGS -O3 -mavx2 -mfma -fno-math-errno)
find_package(OpenMP REQUIRED COMPONENTS C)
roofmark_test_program(openmp openmp.c FLAGS -O2 LIBS OpenMP::OpenMP_C)
find_package(BLAS REQUIRED)
roofmark_test_program(blas blas.c FLAGS -O2 LIBS ${BLAS_LIBRARIES})
find_package(Threads REQUIRED)
roofmark_test_program(processes processes.c FLAGS -O1 LIBS Threads::Threads)

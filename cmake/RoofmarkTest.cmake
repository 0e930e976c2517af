# roofmark_unit_test(NAME sources...  [LIBS libs...] [LABELS labels...]): one Catch2 program, one ctest entry.
# Debian 12 has Catch2 v2, Ubuntu 24.04 has v3: tests include "catch.hpp" of tests/support, which picks.
find_package(Catch2 REQUIRED)

function(roofmark_unit_test name)
  cmake_parse_arguments(ARG "" "" "LIBS;LABELS" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PRIVATE roofmark_catch_main roofmark_flags ${ARG_LIBS})
  if(ROOFMARK_SANITIZE)
    target_precompile_headers(${name} REUSE_FROM test_headers)
  endif()
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/tests" ROOFMARK_TEST_CODE ON)
  roofmark_unity(${name})
  add_test(NAME ${name} COMMAND ${name})
  set_tests_properties(${name} PROPERTIES LABELS "unit;${ARG_LABELS}" TIMEOUT 300)
endfunction()

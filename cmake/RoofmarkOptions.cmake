# Options and the flags that every part is compiled with.

option(ROOFMARK_TESTS "Build the tests (needs Catch2 v2 or v3)" ON)
option(ROOFMARK_BENCHES "Build the benches of tests/bench where the tests are not built" OFF)
option(ROOFMARK_EXAMPLES "Build the examples" ON)
option(ROOFMARK_WERROR "Treat warnings as errors" OFF)
set(ROOFMARK_SANITIZE "" CACHE STRING "Sanitizers for host code, e.g. address,undefined or thread")

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_C_STANDARD 11)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

# Everything lands where an installed tree has it (bin/, lib/, libexec/), so that the command finds its
# runtime and its tool by the same relative path in the build tree and after `cmake --install`.
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/bin")
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/lib")
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/lib")

# Warnings and sanitizers for our own host code; link this privately to every target of ours.
add_library(roofmark_flags INTERFACE)
target_compile_options(roofmark_flags INTERFACE -Wall -Wextra -Wconversion)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # GCC 12 sees overlapping copies in `"text" + std::string` (GCC bug 105651).
  target_compile_options(roofmark_flags INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wno-restrict>)
endif()
# GCC 13 and later take a reference to a temporary argument, as a path to look up, for one that the result keeps.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 13)
  target_compile_options(roofmark_flags INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wno-dangling-reference>)
endif()
if(ROOFMARK_WERROR)
  target_compile_options(roofmark_flags INTERFACE -Werror)
endif()
if(ROOFMARK_SANITIZE)
  target_compile_options(roofmark_flags INTERFACE -fsanitize=${ROOFMARK_SANITIZE} -fno-omit-frame-pointer
    # What a test itself does need not be checked for undefined behaviour: that halves what it takes to compile it.
    $<$<BOOL:$<TARGET_PROPERTY:ROOFMARK_TEST_CODE>>:-fno-sanitize=undefined>)
  target_link_options(roofmark_flags INTERFACE -fsanitize=${ROOFMARK_SANITIZE})
endif()

# The headers that most of the compile time of what includes them goes to. Sanitized trees precompile them;
# others don't, so that they show a file that does not include what it uses, and warn of what is ours alone.
set(roofmark_large_headers <nlohmann/json.hpp> <algorithm> <chrono> <filesystem> <fstream> <functional> <map> <memory> <optional>
    <set> <sstream> <string> <variant> <vector>)

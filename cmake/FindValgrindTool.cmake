# Finds what a Valgrind tool is built from: ROOFMARK_VALGRIND_FOUND, _INCLUDE (with pub_tool_*.h), _ARCHIVES,
# _LIBEXEC (with vgpreload_core), _PLATFORM, _LOAD_ADDRESS. Debian has all in `valgrind`, Fedora the
# headers and archives in `valgrind-devel`.
set(ROOFMARK_VALGRIND_FOUND FALSE)
if(CMAKE_SYSTEM_NAME STREQUAL "Linux" AND CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|amd64|AMD64)$")
  set(ROOFMARK_VALGRIND_PLATFORM amd64-linux)
  find_package(PkgConfig QUIET)
  if(PkgConfig_FOUND)
    pkg_check_modules(VALGRIND_PC QUIET valgrind)
    pkg_get_variable(valgrind_load_address valgrind valt_load_address)
    pkg_get_variable(valgrind_prefix valgrind prefix)
  endif()
  set(ROOFMARK_VALGRIND_LOAD_ADDRESS ${valgrind_load_address})
  if(NOT ROOFMARK_VALGRIND_LOAD_ADDRESS)
    set(ROOFMARK_VALGRIND_LOAD_ADDRESS 0x58000000)
  endif()
  find_path(ROOFMARK_VALGRIND_INCLUDE pub_tool_tooliface.h
    HINTS ${VALGRIND_PC_INCLUDE_DIRS} ${valgrind_prefix}/include/valgrind PATH_SUFFIXES valgrind include/valgrind)
  find_path(ROOFMARK_VALGRIND_ARCHIVES libcoregrind-${ROOFMARK_VALGRIND_PLATFORM}.a
    HINTS ${VALGRIND_PC_LIBRARY_DIRS} ${valgrind_prefix}/lib
    PATHS /usr/lib /usr/lib64 /usr/local/lib
    PATH_SUFFIXES valgrind ${CMAKE_LIBRARY_ARCHITECTURE}/valgrind x86_64-linux-gnu/valgrind)
  find_path(ROOFMARK_VALGRIND_LIBEXEC vgpreload_core-${ROOFMARK_VALGRIND_PLATFORM}.so
    HINTS ${valgrind_prefix} PATHS /usr /usr/local
    PATH_SUFFIXES libexec/valgrind lib/valgrind lib64/valgrind lib/x86_64-linux-gnu/valgrind)
  if(ROOFMARK_VALGRIND_INCLUDE AND ROOFMARK_VALGRIND_ARCHIVES)
    set(ROOFMARK_VALGRIND_FOUND TRUE)
  endif()
endif()

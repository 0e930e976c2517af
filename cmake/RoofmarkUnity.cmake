# Most of the time that this code takes to compile goes to headers and to what they instantiate. Where ROOFMARK_UNITY is
# on, the files of a folder are one translation unit, which is five times as quick from nothing. Off, each file is
# compiled alone: the quicker round while one file is edited, and what shows an include that is missing.
option(ROOFMARK_UNITY "Compile the files of a folder together" OFF)

# roofmark_unity(TARGET): call it when the target has all its sources.
function(roofmark_unity target)
  if(NOT ROOFMARK_UNITY)
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  get_target_property(sources ${target} SOURCES)
  get_target_property(base ${target} SOURCE_DIR)
  foreach(source ${sources})
    if(source MATCHES "\\.cpp$" AND NOT source MATCHES "\\$<")
      cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY ${base} NORMALIZE)
      cmake_path(GET source PARENT_PATH folder)
      cmake_path(RELATIVE_PATH folder BASE_DIRECTORY ${PROJECT_SOURCE_DIR})
      string(MAKE_C_IDENTIFIER "${folder}" folder)
      set_source_files_properties(${source} TARGET_DIRECTORY ${target} PROPERTIES UNITY_GROUP ${folder})
    endif()
  endforeach()
endfunction()

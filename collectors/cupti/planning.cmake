# The planning half: tables of metrics, and what turns their values into quantities.
target_sources(roofmark_analysis PRIVATE chip_table.cpp gpu_plan_text.cpp host_api.cpp kernel_counts.cpp metric_plan.cpp pass_table.cpp run_packing.cpp table_file.cpp)
if(ROOFMARK_CUPTI_FOUND)
  set_source_files_properties(${CMAKE_CURRENT_SOURCE_DIR}/host_api.cpp TARGET_DIRECTORY roofmark_analysis PROPERTIES
    COMPILE_DEFINITIONS ROOFMARK_HAVE_CUPTI
    # The headers are NVIDIA's: their warnings are not ours to mend.
    COMPILE_OPTIONS "-isystem;${ROOFMARK_CUPTI_INCLUDE};-isystem;${ROOFMARK_CUDA_INCLUDE}")
  add_executable(roofmark-gpu-passes EXCLUDE_FROM_ALL ${CMAKE_CURRENT_SOURCE_DIR}/passes_main.cpp)
  target_link_libraries(roofmark-gpu-passes PRIVATE roofmark_analysis roofmark_flags)
  target_include_directories(roofmark-gpu-passes PRIVATE ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/libprofiler)
else()
  message(STATUS "GPU planning: from its tables alone (no cupti_range_profiler.h; -DROOFMARK_CUDA_ROOT names a CUDA of 12.6 or later)")
endif()

set(tables ${CMAKE_CURRENT_SOURCE_DIR}/chips.json ${CMAKE_CURRENT_SOURCE_DIR}/passes.json)
install(FILES ${tables} DESTINATION ${CMAKE_INSTALL_DATADIR}/roofmark/cupti)
set(copied ${CMAKE_BINARY_DIR}/share/roofmark/cupti)
add_custom_command(OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/copied.stamp
  COMMAND ${CMAKE_COMMAND} -E make_directory ${copied}
  COMMAND ${CMAKE_COMMAND} -E copy ${tables} ${copied}
  COMMAND ${CMAKE_COMMAND} -E touch ${CMAKE_CURRENT_BINARY_DIR}/copied.stamp
  DEPENDS ${tables} VERBATIM)
add_custom_target(roofmark_chip_tables ALL DEPENDS ${CMAKE_CURRENT_BINARY_DIR}/copied.stamp)

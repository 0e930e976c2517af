# What `cmake --install` lays down: a tree that may be moved, in which the command finds its runtimes and tools by
# relative paths, and a package for find_package and pkg-config.
include(CMakePackageConfigHelpers)

set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/roofmark")

install(TARGETS roofmark RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
install(DIRECTORY "${PROJECT_SOURCE_DIR}/libprofiler/include/roofmark" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")

# One export set a component: who only annotates needs none of the libraries that the analysis needs.
set(targets_annotate roofmark_annotate)
set(targets_runtime roofmark_runtime roofmark_runtime_static)
set(targets_analysis roofmark_analysis)
foreach(component annotate runtime analysis)
  set_target_properties(roofmark_${component} PROPERTIES EXPORT_NAME ${component})
  install(TARGETS ${targets_${component}} EXPORT roofmark-${component}
    LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}" ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}")
  install(EXPORT roofmark-${component} NAMESPACE roofmark:: DESTINATION "${package_dir}"
    FILE roofmark-${component}-targets.cmake)
endforeach()

# Collectors and data are installed by their own rooms.
install(FILES "${PROJECT_SOURCE_DIR}/docs/profile.schema.json" "${PROJECT_SOURCE_DIR}/docs/machine.schema.json"
  "${PROJECT_SOURCE_DIR}/docs/events.schema.json" "${PROJECT_SOURCE_DIR}/docs/check.schema.json"
  "${PROJECT_SOURCE_DIR}/docs/events-list.schema.json"
  DESTINATION "${CMAKE_INSTALL_DATADIR}/roofmark")
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" DESTINATION "${CMAKE_INSTALL_DOCDIR}")

configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/roofmark-config.cmake.in"
  "${CMAKE_BINARY_DIR}/package/roofmark-config.cmake" INSTALL_DESTINATION "${package_dir}")
write_basic_package_version_file("${CMAKE_BINARY_DIR}/package/roofmark-config-version.cmake"
  COMPATIBILITY SameMinorVersion)
install(FILES "${CMAKE_BINARY_DIR}/package/roofmark-config.cmake"
  "${CMAKE_BINARY_DIR}/package/roofmark-config-version.cmake" DESTINATION "${package_dir}")

# From the folder of the .pc file back to the prefix, so that pkg-config also follows a tree that was moved.
file(RELATIVE_PATH prefix_from_pc "/prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/prefix")
configure_file("${PROJECT_SOURCE_DIR}/cmake/roofmark.pc.in" "${CMAKE_BINARY_DIR}/package/roofmark.pc" @ONLY)
install(FILES "${CMAKE_BINARY_DIR}/package/roofmark.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")

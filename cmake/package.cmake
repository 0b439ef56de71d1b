# What `cmake --install` gives to C++ programs: headers, libraries, and a package for find_package(covenant).
include(CMakePackageConfigHelpers)

# What users link, and what these need. Each is covenant::NAME there.
set(package_targets
  options acg offchip
  srdfg operators codelet embedding library passes mapping schedule storage network binding layers lowerings choice emission tiled frontend
  fixed_scales stream vliw vliw_target compiler
  sim_units sim platform systemc
  rtl_gen rtl_cosim rtl_systemc runtime driver devices)
set(package_libraries)
foreach(name ${package_targets})
  set_target_properties(covenant_${name} PROPERTIES EXPORT_NAME ${name})
  list(APPEND package_libraries covenant_${name})
endforeach()

# Builds all that is installed.
add_custom_target(covenant_package DEPENDS ${package_libraries})

set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/covenant)
install(TARGETS ${package_libraries} EXPORT covenantTargets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development)
install(EXPORT covenantTargets NAMESPACE covenant:: DESTINATION ${package_folder} COMPONENT development)
# Include path = repository path, below a folder of its own.
install(DIRECTORY acg offchip compiler platform sim rtl runtime DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/covenant
  COMPONENT development FILES_MATCHING PATTERN "*.h")
install(FILES covenant/systemc.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/covenant COMPONENT development)
configure_package_config_file(cmake/covenantConfig.cmake.in ${PROJECT_BINARY_DIR}/covenantConfig.cmake
  INSTALL_DESTINATION ${package_folder})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/covenantConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES cmake/FindSystemC.cmake ${PROJECT_BINARY_DIR}/covenantConfig.cmake
  ${PROJECT_BINARY_DIR}/covenantConfigVersion.cmake DESTINATION ${package_folder} COMPONENT development)

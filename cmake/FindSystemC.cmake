# SystemC as SystemC::systemc. Its own build installs a package (SystemCLanguage); Debian's has the library and the headers.
find_package(SystemCLanguage CONFIG QUIET)
if(TARGET SystemC::systemc)
  set(SystemC_FOUND TRUE)
  return()
endif()

find_library(SystemC_LIBRARY systemc)
find_path(SystemC_INCLUDE_DIR tlm)
mark_as_advanced(SystemC_LIBRARY SystemC_INCLUDE_DIR)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(SystemC REQUIRED_VARS SystemC_LIBRARY SystemC_INCLUDE_DIR)

if(SystemC_FOUND)
  # Programs must be compiled for the C++ that the library was built as, whatever their own one is: it is part of the name
  # of a symbol that they refer to.
  file(STRINGS ${SystemC_LIBRARY} symbol REGEX "sc_api_version_[0-9_]+_cxx[0-9]+L" LIMIT_COUNT 1)
  add_library(SystemC::systemc UNKNOWN IMPORTED)
  set_target_properties(SystemC::systemc PROPERTIES
    IMPORTED_LOCATION ${SystemC_LIBRARY}
    INTERFACE_INCLUDE_DIRECTORIES ${SystemC_INCLUDE_DIR})
  if(symbol MATCHES "sc_api_version_([0-9_]+)_cxx([0-9]+L)")
    set(SystemC_VERSION ${CMAKE_MATCH_1})
    set_target_properties(SystemC::systemc PROPERTIES INTERFACE_COMPILE_DEFINITIONS SC_CPLUSPLUS=${CMAKE_MATCH_2})
  endif()
endif()

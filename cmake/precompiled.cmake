# COVENANT_PRECOMPILED: headers of libraries are parsed once for all sources that take them. Each source still includes what
# it uses (tests/repo/test_includes.py): the option changes how long a build takes, and nothing else.

set(precompiled_headers
  <algorithm> <array> <cmath> <cstdint> <cstring> <deque> <functional> <map> <memory> <numeric> <optional> <set> <span>
  <string> <string_view> <tuple> <utility> <variant> <vector> <fmt/format.h> <fmt/ranges.h>)

# precompiled(NAME HEADERS headers [LINK libraries] [OPTIONS options]): precompiled headers for targets that are compiled
# with the same options.
function(precompiled name)
  if(NOT COVENANT_PRECOMPILED)
    return()
  endif()
  cmake_parse_arguments(arg "" "" "HEADERS;LINK;OPTIONS" ${ARGN})
  set(source ${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp)
  file(CONFIGURE OUTPUT ${source} CONTENT "// Compiled for its precompiled headers.\n")
  add_library(${name} OBJECT ${source})
  target_link_libraries(${name} PRIVATE covenant_options fmt::fmt ${arg_LINK})
  target_compile_options(${name} PRIVATE ${arg_OPTIONS})
  target_precompile_headers(${name} PRIVATE ${arg_HEADERS})
  # Their bytes differ each time that they are made: ccache reads this file instead.
  file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/CMakeFiles/${name}.dir/cmake_pch.hxx.gch.sum
    CONTENT "${arg_HEADERS} fmt ${fmt_VERSION} SystemC ${SystemC_VERSION} GTest ${GTest_VERSION} pybind11 ${pybind11_VERSION}\n")
endfunction()

# use_precompiled(TARGET NAME): TARGET takes the precompiled headers NAME.
function(use_precompiled target name)
  if(NOT COVENANT_PRECOMPILED)
    return()
  endif()
  target_precompile_headers(${target} REUSE_FROM ${name})
  target_link_libraries(${target} PRIVATE fmt::fmt)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # GCC forgets that what is precompiled is a system header, and reports the insides of the standard library.
    target_compile_options(${target} PRIVATE
      -Wno-array-bounds -Wno-free-nonheap-object -Wno-stringop-overflow -Wno-stringop-overread)
  endif()
endfunction()

precompiled(covenant_precompiled OPTIONS ${brief} HEADERS ${precompiled_headers})
precompiled(covenant_precompiled_hot HEADERS ${precompiled_headers})
precompiled(covenant_precompiled_systemc LINK SystemC::systemc HEADERS ${precompiled_headers} <systemc> <tlm>)

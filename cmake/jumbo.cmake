# CMAKE_UNITY_BUILD: some sources of a library are compiled as one, which more than halves the time of a build from nothing.
# The presets for development and sanitizers compile each source on its own, so both ways are tried.
if(NOT DEFINED CMAKE_UNITY_BUILD_BATCH_SIZE)
  set(CMAKE_UNITY_BUILD_BATCH_SIZE 8)  # the wheel, which is built once, has more
endif()

# compiled_alone(a.cpp b.cpp): sources with names of their own (a table's `kRows`) that others of their library use, too.
function(compiled_alone)
  set_source_files_properties(${ARGV} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()

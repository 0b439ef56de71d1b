# Libraries whose loops take the time of compiling and simulating are hot: a release optimises them fully (-O3), and all
# others so that they compile a third faster (-O1); together those take 3 % of the time of any command.
set(brief $<$<CONFIG:Release>:-O1>)

# hot(TARGET...): libraries that a release optimises fully. Those with precompiled headers of their own are hot, too.
function(hot)
  set_target_properties(${ARGV} PROPERTIES COVENANT_HOT ON)
endfunction()

# optimize_below(FOLDER): libraries below FOLDER get their options and, unless they take others or none
# (DISABLE_PRECOMPILE_HEADERS), precompiled headers that go with them. Programs are not compiled as libraries are, and take
# none.
function(optimize_below folder)
  get_property(targets DIRECTORY ${folder} PROPERTY BUILDSYSTEM_TARGETS)
  foreach(target ${targets})
    get_target_property(type ${target} TYPE)
    get_target_property(is_hot ${target} COVENANT_HOT)
    get_target_property(chosen ${target} PRECOMPILE_HEADERS_REUSE_FROM)
    get_target_property(takes_none ${target} DISABLE_PRECOMPILE_HEADERS)
    if(NOT type STREQUAL "STATIC_LIBRARY" OR chosen)
      continue()
    endif()
    set(precompiled covenant_precompiled_hot)
    if(NOT is_hot)
      target_compile_options(${target} PRIVATE ${brief})
      set(precompiled covenant_precompiled)
    endif()
    if(NOT takes_none)
      use_precompiled(${target} ${precompiled})
    endif()
  endforeach()
  get_property(folders DIRECTORY ${folder} PROPERTY SUBDIRECTORIES)
  foreach(below ${folders})
    optimize_below(${below})
  endforeach()
endfunction()

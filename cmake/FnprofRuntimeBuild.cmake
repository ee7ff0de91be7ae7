# How code is compiled that lives in other people's programs.

# Sets `out` to sources that are the given ones with every function exempt from instrumentation, whatever flags surround the
# build. gcc has -fno-instrument-functions; clang rejects that flag, but knows an attribute for whole stretches of a file.
function(fnprof_uninstrumented_sources out)
    set(sources)
    foreach(source IN LISTS ARGN)
        if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
            set(FNPROF_WRAPPED_SOURCE ${CMAKE_CURRENT_SOURCE_DIR}/${source})
            configure_file(${fnprof_SOURCE_DIR}/cmake/uninstrumented.cpp.in ${CMAKE_CURRENT_BINARY_DIR}/${source} @ONLY)
            list(APPEND sources ${CMAKE_CURRENT_BINARY_DIR}/${source})
        else()
            list(APPEND sources ${CMAKE_CURRENT_SOURCE_DIR}/${source})
        endif()
    endforeach()
    set(${out} ${sources} PARENT_SCOPE)
endfunction()

# Always optimised, no C++ runtime, no sanitizer, no builtins that become calls of libc.
function(fnprof_runtime_flags target)
    target_compile_features(${target} PRIVATE cxx_std_17)
    set_target_properties(${target} PROPERTIES CXX_EXTENSIONS ON POSITION_INDEPENDENT_CODE ON CXX_VISIBILITY_PRESET hidden
        INTERPROCEDURAL_OPTIMIZATION OFF UNITY_BUILD OFF)
    target_include_directories(${target} PRIVATE ${fnprof_SOURCE_DIR}/runtime ${fnprof_SOURCE_DIR}/runtime/include
        ${FNPROF_ZSTD_INCLUDE})
    target_compile_options(${target} PRIVATE -O2 -g -ffreestanding -fno-builtin -fno-exceptions -fno-rtti
        -fno-threadsafe-statics -fno-stack-protector -fno-sanitize=all -U_FORTIFY_SOURCE -fno-lto -fcf-protection=none
        $<$<CXX_COMPILER_ID:GNU>:-fno-instrument-functions -fno-tree-loop-distribute-patterns -fno-profile-arcs>)
    fnprof_warnings(${target})
endfunction()

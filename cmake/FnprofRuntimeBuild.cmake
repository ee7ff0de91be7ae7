# How code is compiled that lives in other people's programs.

# Takes -finstrument-functions and its relatives out of the flags of the current directory: the flags of a project around
# this one would make the hooks call themselves. gcc has -fno-instrument-functions as well; clang has no such flag, and its
# attribute does not reach the constructors that the compiler writes by itself.
macro(fnprof_forget_instrumentation)
    set(instrumentation "-finstrument-function[a-z-]*(=[^; ]*)?")
    get_directory_property(options COMPILE_OPTIONS)
    string(REGEX REPLACE "${instrumentation}" "" options "${options}")
    set_directory_properties(PROPERTIES COMPILE_OPTIONS "${options}")
    foreach(flags CMAKE_CXX_FLAGS CMAKE_CXX_COMPILER_ARG1)
        string(REGEX REPLACE "${instrumentation}" "" ${flags} "${${flags}}")
    endforeach()
    foreach(config IN LISTS CMAKE_BUILD_TYPE CMAKE_CONFIGURATION_TYPES)
        string(TOUPPER CMAKE_CXX_FLAGS_${config} flags)
        string(REGEX REPLACE "${instrumentation}" "" ${flags} "${${flags}}")
    endforeach()
endmacro()

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

# fnprof_instrument(<target> [STATIC] [AFTER_INLINING] [EXCLUDE_FILES <part of a path>...] [EXCLUDE_FUNCTIONS <part of a name>...])
#
# Builds the target with -finstrument-functions and links it with fnprof.
#   STATIC             links the archive instead of the shared library
#   AFTER_INLINING     clang: only functions that were not inlined
#   EXCLUDE_FILES      gcc: functions of source files whose path contains one of the parts are not instrumented
#   EXCLUDE_FUNCTIONS  gcc: functions whose name contains one of the parts
# What the compiler cannot do is said when the build is configured, and left out.
function(fnprof_instrument target)
    cmake_parse_arguments(PARSE_ARGV 1 arg "STATIC;AFTER_INLINING" "" "EXCLUDE_FILES;EXCLUDE_FUNCTIONS")
    if(arg_UNPARSED_ARGUMENTS)
        message(FATAL_ERROR "fnprof_instrument(${target}): unknown arguments: ${arg_UNPARSED_ARGUMENTS}")
    endif()

    set(exclude_options)
    foreach(what FILE FUNCTION)
        string(TOLOWER ${what} option)
        if(arg_EXCLUDE_${what}S)
            list(JOIN arg_EXCLUDE_${what}S "," parts)
            list(APPEND exclude_options -finstrument-functions-exclude-${option}-list=${parts})
        endif()
    endforeach()

    foreach(language C CXX)
        if(NOT CMAKE_${language}_COMPILER_LOADED)
            continue()
        endif()
        set(options -finstrument-functions)
        if(CMAKE_${language}_COMPILER_ID STREQUAL "GNU")
            list(APPEND options ${exclude_options})
            if(arg_AFTER_INLINING)
                message(WARNING "fnprof_instrument(${target}): gcc cannot instrument after inlining; AFTER_INLINING is ignored")
            endif()
        else()
            if(arg_AFTER_INLINING)
                set(options -finstrument-functions-after-inlining)
            endif()
            if(exclude_options)
                message(WARNING "fnprof_instrument(${target}): ${CMAKE_${language}_COMPILER_ID} cannot exclude files or functions "
                    "from instrumentation; EXCLUDE_FILES and EXCLUDE_FUNCTIONS are ignored for ${language}. "
                    "__attribute__((no_instrument_function)) exempts single functions.")
            endif()
        endif()
        target_compile_options(${target} PRIVATE "$<$<COMPILE_LANGUAGE:${language}>:${options}>")
    endforeach()

    if(arg_STATIC)
        target_link_libraries(${target} PRIVATE fnprof::fnprof_static)
    else()
        target_link_libraries(${target} PRIVATE fnprof::fnprof)
    endif()
endfunction()

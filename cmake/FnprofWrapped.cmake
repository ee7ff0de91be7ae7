# The functions that the runtime wraps (runtime/src/wrapped.h), for links in which it cannot interpose: those of libc, which every
# program may have, and those of the C++ library.
set(FNPROF_WRAPPED_C longjmp _longjmp siglongjmp __longjmp_chk pthread_exit prctl unshare setns)
set(FNPROF_WRAPPED_CXX __cxa_throw __cxa_rethrow __cxa_begin_catch _Unwind_RaiseException)

# The options of a link that wraps these functions. Each wrapper is asked for as well: what refers to it may be an archive that
# comes after ours, such as libstdc++.a, and linkers do not go back.
function(fnprof_wrapping_options result)
    set(options)
    foreach(function IN LISTS ARGN)
        list(APPEND options -Wl,--wrap=${function},--undefined=__wrap_${function})
    endforeach()
    set(${result} ${options} PARENT_SCOPE)
endfunction()

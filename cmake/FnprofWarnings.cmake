# Warnings that all of fnprof's own code is held to.
function(fnprof_warnings target)
    target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wconversion -Wshadow
        $<$<BOOL:${FNPROF_WERROR}>:-Werror>)
endfunction()

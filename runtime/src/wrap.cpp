// One wrapped function for links with --wrap: __wrap_X records the mark and goes on to __real_X. Compiled once for each
// function, FNPROF_WRAP, into a member of its own of the archive: the reference to the real one is strong, since a weak one does
// not bring it into the link, and must be there only in programs that ask for the wrapper.
#include "wrapped.h"

#define FNPROF_PASTE(a, b) a##b
#define FNPROF_ROW(name) FNPROF_PASTE(FNPROF_WRAPPED_, name)
#define FNPROF_DEFINE(result, name, parameters, arguments, mark)                        \
    extern "C" result __real_##name parameters;                                         \
    extern "C" __attribute__((visibility("hidden"))) result __wrap_##name parameters { \
        mark;                                                                           \
        return __real_##name arguments;                                                 \
    }

FNPROF_ROW(FNPROF_WRAP)(FNPROF_DEFINE)

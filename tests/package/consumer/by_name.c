/* A language run-time that reports its own calls. */
#include <fnprof/fnprof.h>

#if FNPROF_VERSION_MAJOR == 0 && FNPROF_VERSION_MINOR < 1
#error "older than the package that was asked for"
#endif

int main(void) {
    fnprof_enter((void *)main, __builtin_return_address(0));
    fnprof_exit((void *)main, __builtin_return_address(0));
    return 0;
}

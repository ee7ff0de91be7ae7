#include "report/empty.h"

#include <ostream>

namespace fnprof::report {

void print_likely_causes(std::ostream& out) {
    out << R"(Likely causes, the most likely first, and how to check each (PROGRAM is your executable;
'fnprof-analyze check PROGRAM' looks into 1 and 2 by itself):
  1. The code was compiled without -finstrument-functions.
     objdump -d PROGRAM | grep -c 'call.*__cyg_profile_func_'   must print a number above 0 (before PROGRAM is stripped)
  2. The program is not linked with fnprof, so that libc's empty hooks run.
     ldd PROGRAM | grep libfnprof    must print a line (linked statically: nm PROGRAM | grep fnprof_enter)
     Each shared library that is to be profiled needs -lfnprof too.
  3. Recording was switched off with FNPROF_ENABLE=0.
     env | grep FNPROF_ENABLE        must print nothing
  4. The trace could not be written: by default it is ./trace.zst in the program's working directory.
     echo $FNPROF_OUTPUT             must print nothing, or a file in a directory that the program may write to
     test -w . && echo writable      must print a line, there and as the user that the program runs as
  5. All functions that ran are excluded.
     Look for -finstrument-functions-exclude-... in the compiler's flags and for no_instrument_function in the source.
)";
}

}  // namespace fnprof::report

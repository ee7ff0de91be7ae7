#include "report/empty.h"

#include <ostream>

namespace fnprof::report {

void print_likely_causes(std::ostream& out) {
    out << R"(Likely causes, the most likely first, and how to check each (PROGRAM is your executable):
  1. The code was compiled without -finstrument-functions.
     nm -C PROGRAM | grep __cyg_profile_func_enter   must print a line (in stripped files: nm -D)
  2. The program is not linked with fnprof, so that libc's empty hooks run.
     ldd PROGRAM | grep libfnprof                     must print a line (linked statically: nm PROGRAM | grep fnprof_enter)
     Each shared library that is to be profiled needs -lfnprof too.
  3. Recording was switched off.
     env | grep FNPROF_ENABLE                         must not print FNPROF_ENABLE=0
  4. The trace could not be written: by default it is ./trace.zst in the program's working directory.
     echo $FNPROF_OUTPUT; touch trace.zst             must name, or work in, a directory that the program may write to
  5. All functions that ran are excluded.
     Look for -finstrument-functions-exclude-... in the compiler's flags and for no_instrument_function in the source.
)";
}

}  // namespace fnprof::report

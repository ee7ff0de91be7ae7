// The analyzer's own last words: where it died.
#pragma once

namespace fnprof::cli {

// From now on an uncaught exception, SIGSEGV, SIGBUS, SIGFPE or SIGILL prints the stack to standard error before the
// process ends as it would have.
void install_fatal_report();

}  // namespace fnprof::cli

// Whether the modules that are instrumented call our hooks. libc exports hooks that do nothing; a module that is not linked
// with -lfnprof and finds those first runs as ever and is missing from the trace, which nobody would notice.
#pragma once

namespace fnprof::rt {

// Looks where each loaded module's references to the hooks are bound and writes one line that names those that call
// somebody else's.
//
// Context: end; signal-safe. Takes no lock of the loader's: modules may go away meanwhile, so everything is read with calls
// that fail instead of faulting. What cannot be read or does not look as expected is passed over.
void check_bindings();

}  // namespace fnprof::rt

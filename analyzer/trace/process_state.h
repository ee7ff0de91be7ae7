// Whether the process that writes a trace is still there.
#pragma once

#include <string>

#include "format/layout.h"

namespace fnprof::trace {

enum class ProcessState {
    kRunning,  // and this trace is its present program's
    kGone,
    kUnknown,  // it ran on another machine, or before this one was started again
};

// `trace` and `live` are the paths of its files. A process that has gone on to another program by exec is gone as far as this trace is
// concerned: it does not map the live file any more.
ProcessState process_state(const format::ProcessItem& process, const std::string& trace, const std::string& live);

// Whether somebody holds the lock that a writer has on its trace. Processes of other pid namespaces show in this way only.
bool is_locked(const std::string& trace);

}  // namespace fnprof::trace

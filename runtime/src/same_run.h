// Whether a process that is gone belongs to the run that this process is part of: it started this one, or ran beside it. Its trace is
// then wanted beside ours; that of an earlier run is replaced.
//
// No single fact tells. A child whose parent is gone looks like any other process, and the start times of processes are known to
// 10 ms only, in which a shell starts several programs one after the other: within one such tick the order of process numbers decides.
// A process that was killed has left neither its end's time nor a number: what it wrote last is all that is known of it, and in doubt it
// was of an earlier run.
//
// Context: init; signal-safe.
#pragma once

#include "identity.h"

namespace fnprof::rt {

// Remembers when this program image began, and who its parent was then: later that one may be gone. Context: our constructor, or the
// first hook, whichever comes first.
void note_beginning();
uint64_t first_parent();

// What is known of another process's end.
struct Ending {
    uint64_t last_write_ns;  // to one of its files, by CLOCK_REALTIME
    uint32_t last_pid;       // number of the process that had been begun last by then; 0: not known
};

// other: the process, which is gone.
bool is_of_same_run(const ProcessIdentity& other, const Ending& ending, const ProcessIdentity& self);

}  // namespace fnprof::rt

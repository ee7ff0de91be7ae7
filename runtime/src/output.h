// Which files this process writes, and opening them: the trace X and its live file X.live.
//
// The rules, in order, for each candidate name:
//   1. The first candidate is FNPROF_OUTPUT, or trace.zst, expanded and taken from the directory where the program started.
//      It is created, or replaced when it is empty or a trace of an earlier run (same_run.h); its stale X.live goes with it.
//   2. It is left alone when it belongs to a living process, to one that ran beside this one or started it, to this very
//      process (an image before exec), or when it is not a trace at all. Then, and in every forked child, the process id is put before the extension (trace.<pid>.zst);
//      then a number behind it (trace.<pid>.2.zst). A name with the process id in it is only ever created (O_EXCL), never
//      replaced: process ids come again within one run.
//   3. /dev/null is written as it is, by any number of processes, without a live file. Other devices, pipes and
//      directories are refused, and the file that standard output or standard error goes to.
//
// Who owns a file is decided twice. The identity in its first bytes says which process wrote it; /proc says whether that
// one lives. Between two processes that start at the same moment, and where /proc cannot tell (another host or another
// pid namespace on the same file system), a record lock decides: each owner holds one on its trace for its whole life.
// Record locks (fcntl F_SETLK) and not flock: they belong to the process, so forked children do not inherit them and
// cannot keep a dead parent's trace "alive". Their known weakness, that closing any descriptor of the file drops them,
// is harmless because the identity still stands. File systems without locks: only fresh files are then taken safely.
//
// Context: init (again in a forked child); signal-safe.
#pragma once

#include "identity.h"
#include "settings.h"

namespace fnprof::rt {

struct Output {
    int fd;       // of the trace, empty, read-write; -1: nothing can be written
    int live_fd;  // of the live file, empty, read-write; -1: there is none
    int collector_fd, collector_live_fd;  // the same files in the collector's own descriptor table
    uint64_t dev, ino;
    uint64_t live_dev, live_ino;
    uint32_t image;              // of this process: 0, or one more than that of its earlier images
    char start_directory[4096];  // where the program started; empty when unknown
    char path[4096];             // absolute where the start directory is known
    char live_path[4096];        // empty without live file
};

// Opens both files. False after one warning: the path cannot be written, the program runs on without profile.
//
// forked_child: `output` is the parent's, copied by fork; its descriptors (where they are still those files) are closed
// here, and its start directory serves again. Otherwise `output` is zero.
[[nodiscard]] bool open_output(const Settings& settings, const ProcessIdentity& self, bool forked_child, Output& output);

}  // namespace fnprof::rt

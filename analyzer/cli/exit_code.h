// What the process's exit status tells scripts.
#pragma once

namespace fnprof::cli {

enum ExitCode : int {
    kFine = 0,
    kFailure = 1,  // unreadable input, or a failure of our own
    kUsage = 2,
    kBroken = 3,   // what was asked about does not hold: a binary will not be traced, a figure is beyond its limit
    kDamaged = 4,  // --strict: part of what was recorded is missing
    kInterrupted = 130,  // Ctrl-C while traces were read: what was known has been printed; as shells have it of SIGINT
};

}  // namespace fnprof::cli

// What the process's exit status tells scripts.
#pragma once

namespace fnprof::cli {

enum ExitCode : int {
    kFine = 0,
    kFailure = 1,  // unreadable input, or a failure of our own
    kUsage = 2,
    kDamaged = 4,  // --strict: part of what was recorded is missing
};

}  // namespace fnprof::cli

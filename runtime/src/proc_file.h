// Reading the files of /proc, whose size is only known at their end.
//
// Context: init, collector; signal-safe.
#pragma once

#include "memory.h"
#include "sys.h"

namespace fnprof::rt {

// The whole file into `to`. False when it cannot be opened, or not be read to its end.
inline bool read_whole_file(const char* path, GrowingMemory& to, size_t& bytes) {
    bytes = 0;
    const long fd = sys::open(path, sys::kORdonly);
    if (sys::failed(fd)) return false;
    long n = -sys::kEnomem;
    constexpr size_t kPiece = 4096;
    while (to.reserve(bytes + kPiece)) {
        n = sys::read(static_cast<int>(fd), to.data() + bytes, to.capacity() - bytes);
        if (n == -sys::kEintr) continue;
        if (n <= 0) break;
        bytes += static_cast<size_t>(n);
        n = -sys::kEnomem;
    }
    sys::close(static_cast<int>(fd));
    return n == 0;
}

}  // namespace fnprof::rt

// File descriptors that live in somebody else's program: high numbers, closed by exec, never trusted to be still ours.
//
// Context: any; signal-safe.
#pragma once

#include "sys.h"

namespace fnprof::rt {

// Moves a descriptor out of the low numbers, which programs count on, count through and dup2 over. 900 stays within the
// 1,024 entries that descriptor tables have anyway. Returns the new number, or the old one when none is free.
// Moving closes the old number: with it go the process's record locks on the file, so lock afterwards.
inline int move_high(int fd) {
    const uint64_t limit = sys::descriptor_limit();
    const uint64_t starts[] = {900, limit * 7 / 8, limit / 2};
    for (uint64_t lowest : starts) {
        if (lowest >= limit || lowest <= static_cast<uint64_t>(fd)) continue;
        long high = sys::fcntl(fd, sys::kFDupfdCloexec, static_cast<long>(lowest));
        if (sys::failed(high)) continue;
        sys::close(fd);
        return static_cast<int>(high);
    }
    return fd;
}

// Whether `fd` is still the file that it was when dev and ino were taken: programs close every descriptor, or dup2 something over
// ours; whatever the number means then must not get our bytes.
inline bool is_file(int fd, uint64_t dev, uint64_t ino) {
    sys::Stat now;
    return fd >= 0 && !sys::failed(sys::fstat(fd, &now)) && now.dev == dev && now.ino == ino;
}

// Opens a file of ours again that the program closed; -1 when the path leads to another one, or nowhere.
inline int reopen(const char* path, uint64_t dev, uint64_t ino) {
    const long fd = sys::open(path, sys::kORdwr | sys::kONonblock | sys::kONoctty);
    if (sys::failed(fd)) return -1;
    if (is_file(static_cast<int>(fd), dev, ino)) return move_high(static_cast<int>(fd));
    sys::close(static_cast<int>(fd));
    return -1;
}

}  // namespace fnprof::rt

// How traces are called: %-codes, the process id put before the extension, numbers after it. Pure text.
//
// Context: init; signal-safe.
#pragma once

#include "bytes.h"

namespace fnprof::rt {

struct NameFacts {
    uint64_t pid;
    const char* program;  // %e, without directory
    const char* host;     // %h
    const char* rank;     // %r
};

// Expands %p, %e, %h, %r and %%; anything else after a % stays as it is.
void expand_name(const char* pattern, const NameFacts& facts, TextBuffer& to);

// Whether the expanded name tells processes apart by itself.
bool names_process(const char* pattern);

// "dir/trace.zst" to "dir/trace.<pid>.zst" and, from number 2 on, "dir/trace.<pid>.2.zst"; without_pid leaves the pid out
// (the name has it already). The extension is what follows the last dot of the file's name, a leading dot is none.
void distinguish_name(const char* name, uint64_t pid, bool without_pid, uint32_t number, TextBuffer& to);

}  // namespace fnprof::rt

// A trace written anew: what is intact of its file, frame by frame as it is, and the live file's chunks as blocks. The result is a
// complete trace that reads as the two files did, also as to what they lack.
#pragma once

#include <string>

#include "trace/trace_file.h"

namespace fnprof::trace {

struct Rewritten {
    uint64_t record_count = 0;  // in all, late areas included
    uint64_t live_record_count = 0;
    uint64_t bytes = 0;
    uint64_t damaged_count = 0;        // what the result goes without
    uint64_t missing_chunk_count = 0;
    bool truncated = false;
};

// Reads `file`, of which nothing has been read yet, to its end, and appends to the empty file that `descriptor` and `path` are. What was
// written is read again and compared. Throws WriteError, in which the file is called `name`.
Rewritten rewrite(TraceFile& file, int descriptor, const std::string& path, const std::string& name);

}  // namespace fnprof::trace

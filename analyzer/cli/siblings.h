// A run that forks or executes other programs leaves one trace a process: trace.zst, trace.1234.zst, trace.1234.2.zst.
#pragma once

#include <string>
#include <vector>

namespace fnprof::cli {

// Traces beside the given ones that belong to the same runs and are not among them, in order of their names. Processes are
// of one run when one is the other's parent, was forked from it, or is an earlier or later program of the same process.
// Files that cannot be read belong to none.
std::vector<std::string> unread_siblings(const std::vector<std::string>& traces);

}  // namespace fnprof::cli

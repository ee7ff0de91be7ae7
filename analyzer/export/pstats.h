// The dump of Python's profilers, read by `python3 -m pstats` and its relatives:
//   {(file, line, function): (primitive calls, calls, tottime, cumtime, {(file, line, function) of a caller: (calls, primitive calls,
//                                                                                                             tottime, cumtime)})}
// Times are seconds. The two counts stand in one order for the function and in the other for its callers: cProfile's own.
#pragma once

#include "export/source.h"

#include <iosfwd>
#include <string>
#include <vector>

namespace fnprof::exporter {

// The profile must have functions: pstats takes no empty dump.
void write_pstats(std::ostream& out, const Source& source);

// How a function is known there. Functions without debug information have their module's path for a file and line 0.
struct PstatsKey {
    std::string file;
    uint32_t line = 0;
    std::string function;
};

// By FunctionId. No two keys are alike, also when pstats' strip_dirs() has taken the directories from their files: where they would be, the
// functions' names are followed by [module], [module+0xoffset] or [#id].
std::vector<PstatsKey> pstats_keys(const Source& source);

}  // namespace fnprof::exporter

// The files that a killed process leaves behind, made one complete trace: which files may be touched, and when.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include "trace/rewrite.h"

namespace fnprof::trace {

// Recovering would lose something, or disturb somebody. The message says what, and what to do.
class RecoveryRefused : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

struct Recovered {
    bool needed = false;  // else there was nothing to do, and nothing was done
    Rewritten result;
    bool live_file_removed = false;
    std::vector<std::string> remarks;  // on the live file: what could not be read of it
};

// Writes what `trace` and its live file hold into `output`, or, if that is empty, into a file that then takes the trace's place; only then
// the live file goes. Whatever happens in between, either the old files are there or the new one. Throws RecoveryRefused,
// WriteError and TraceError, and has changed nothing then.
Recovered recover(const std::string& trace, const std::string& output);

}  // namespace fnprof::trace

// What fnprof has to say to the user: single lines on standard error, "fnprof: ...".
//
// Context: init, collector, hook slow path; signal-safe. Never writes to a descriptor that is not the standard error the
// program was started with: see remember_stderr.
#pragma once

#include "bytes.h"

namespace fnprof::rt {

// Remembers which file descriptor 2 is. Programs close it and open files of their own that get its number; from then on
// lines are dropped, except on character devices (terminals), which hold no data. Call once, as early as possible.
void remember_stderr();

// One line, written by one write() when it is complete. Control characters become '?', so that a value out of the
// environment cannot make two lines of it; an overlong line ends in "...".
class DiagLine {
  public:
    DiagLine() : text_(buffer_, sizeof buffer_) { text_.add("fnprof: "); }
    DiagLine& add(const char* text) {
        text_.add(text);
        return *this;
    }
    DiagLine& add(const char* text, size_t length) {
        text_.add(text, length);
        return *this;
    }
    DiagLine& add_decimal(uint64_t value) {
        text_.add_decimal(value);
        return *this;
    }
    // The meaning of a system call's negative result, in words.
    DiagLine& add_error(long result);

    // Never raises SIGPIPE, SIGXFSZ or SIGTTOU in the program and gives up when standard error takes nothing.
    void write();

  private:
    char buffer_[1536];
    TextBuffer text_;
};

}  // namespace fnprof::rt

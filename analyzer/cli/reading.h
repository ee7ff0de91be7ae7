// What a user sees and does while traces are read: progress on a terminal, and Ctrl-C, which makes an end with what is known.
#pragma once

#include "model/aggregate.h"

#include <csignal>
#include <cstdint>
#include <string>

namespace fnprof::cli {

// While it lives, the first SIGINT is noted and the second one ends the process as usual.
class InterruptNote {
  public:
    InterruptNote();
    ~InterruptNote();
    InterruptNote(const InterruptNote&) = delete;
    InterruptNote& operator=(const InterruptNote&) = delete;

    static bool noted();

  private:
    struct sigaction before_ {};
};

// "trace.zst: 45% of 100.0M records, 49.1M/s, 1.1s left" on standard error while reading takes long, if that is a terminal.
class ReadingProgress {
  public:
    ReadingProgress();
    ~ReadingProgress();
    ReadingProgress(const ReadingProgress&) = delete;
    ReadingProgress& operator=(const ReadingProgress&) = delete;

    void update(const model::ReadSoFar& read);

  private:
    bool terminal_;
    uint64_t began_ns_;
    uint64_t shown_ns_ = 0;  // 0: nothing is on the line
    std::string path_;       // of the trace that is read
    uint64_t path_began_ns_ = 0;
};

// The text of the line. `elapsed_ns`: since the trace was begun.
std::string progress_text(const model::ReadSoFar& read, uint64_t elapsed_ns);

}  // namespace fnprof::cli

// The trace file while it grows: whole frames, one after the other, each where the last one ended. Knows what to do when the
// descriptor is no longer ours or the disk is full.
//
// Context: slow path, collector, end; signals blocked.
#pragma once

#include "../format/layout.h"
#include "identity.h"
#include "output.h"
#include <cstddef>
#include <cstdint>

namespace fnprof::rt {

// Opens the files; false when there will be no trace. Context: init.
bool open_sink(const ProcessIdentity& identity, bool forked_child);
Output& sink_output();

// Gives the collector its own descriptors. Context: collector.
void separate_collector_files();

// What the collector found wrong with the file is said by a thread that has the program's stderr. Context: slow path, end.
void tell_of_failure();

// Appends one frame; 0 bytes stand for one that could not be made. False: it is not in the file and will not be; the file ends
// with the last whole frame.
bool append_frame(const format::BlockHeader& header, const uint8_t* frame, size_t bytes);

// Appends the index of all frames. Context: end.
void append_seek_table();

// Sets the time of the last write exactly: the kernel's own is up to 10 ms early, and programs that run one after the other are told
// from those that run at once by it (same_run.h). Context: end.
void stamp_sink();

// Reserves `bytes` at the end of the file; returns the offset, or 0. Context: slow path after the end.
uint64_t extend_sink(const uint8_t* head, size_t head_bytes, size_t bytes);

// Whether something could not be written.
bool sink_broken();

struct SinkTotals {
    uint64_t records;
    uint64_t torn;
    uint64_t bytes;  // of the file
    uint64_t lost;   // in frames that could not be written
};
SinkTotals sink_totals();

void forget_sink();  // in a forked child; open_sink there closes the parent's descriptors

}  // namespace fnprof::rt

// What the trace says beside the records: the process, its modules, threads and functions, the clock. Everything that must be
// known to read the records of a killed run is in the first block, or in a block soon after it became known; names come at
// the end.
//
// One lock guards all of it, the module table and the set of functions included.
// Context: init, slow path, collector, end; signals blocked.
#pragma once

#include "../format/encoder.h"
#include "identity.h"
#include "ring.h"
#include <cstdint>

namespace fnprof::rt {

// Writes the first block of the file, uncompressed, so that another process can tell whose trace it is. Context: init.
void write_first_block(const ProcessIdentity& identity, const format::ProcessItem& fork);

// Takes in the functions of a block that was just coded; their modules are looked up while they are loaded.
void note_functions(const format::EncoderWorkspace& workspace, const format::EncodeResult& block, const format::ChunkInput* chunks,
                    uint32_t chunk_count);

// Opens the files of modules that the collector, whose descriptors are its own, has found since. Context: slow path.
void keep_module_files();

// Around the real dlclose. Before it: the module gets its place in the table (it may have come and run since the last look), and its
// file stays open for the names; after it: what has gone is noted, so that another library at the same address is another module.
// Context: normal code that called dlclose.
void before_unload();
void after_unload();

// The module at this address has just come, and is bound, or is about to go: what is new is written at once, should the process be
// killed. Context: its constructors and destructors.
void note_module(uint64_t address);

// A thread's facts, when it is gone (end_ticks: of its last record) or the process ends (0 for the living). Writes nothing yet.
void note_thread(const Ring& ring, uint64_t end_ticks);

// Writes the facts of the process's first thread: the only one that many processes have, and they may not live until the next
// interim block. Context: slow path, on the ring's stack.
void write_first_thread(Ring& ring);

// What a killed run would lack: the threads so far, new modules, how the clock went. Context: collector.
void write_interim_block();

// A thread that could not be given a ring, and each record that it could not make. The trace says so.
void count_mute_thread();
void count_lost_record();

// A thread must not read the clock that the trace has. The trace says so.
void note_slow_thread();

// Names, threads, clock and the end record. end_ticks: when the end began. Context: end.
void write_last_block(uint64_t end_ticks);

void forget_metadata();  // in a forked child: starts again with nothing known

}  // namespace fnprof::rt

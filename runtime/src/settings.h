// The FNPROF_* variables of the environment that the program was started with.
//
// Read once, by raw calls from /proc/self/environ: the C library's environ may not exist yet, or be changing.
// Context: init; signal-safe.
#pragma once

#include <cstddef>
#include <cstdint>

namespace fnprof::rt {

struct Settings {
    enum Overflow : uint8_t { kWait, kDrop };
    enum Clock : uint8_t { kFitting, kTsc, kMonotonic };

    bool enabled = true;              // FNPROF_ENABLE
    Overflow overflow = kWait;        // FNPROF_OVERFLOW: what a thread does when its ring is full
    Clock clock = kFitting;           // FNPROF_CLOCK: kFitting is the time stamp counter, if it may be read and is steady
    uint32_t ring_chunks = 16;        // FNPROF_RING_SIZE in chunks; even, since half a ring makes a block
    int compression = 1;              // FNPROF_COMPRESSION, zstd level
    int verbose = 0;                  // FNPROF_VERBOSE
    char output[4096] = "trace.zst";  // as given, %-codes not expanded
    char rank[16] = "0";              // for %r: what the MPI launcher or Slurm says, digits only
};

constexpr uint32_t kMinRingChunks = 4;
constexpr uint32_t kMaxRingChunks = 1024;  // 64 MiB

// Fills `settings` (fresh, with the defaults) from the process's environment and warns, one line each, about values that
// are none and FNPROF_ variables that do not exist. Without a readable environment the defaults stay. A set-user-id
// program is never traced: its output path would be its caller's choice, written with its owner's rights.
void read_settings(Settings& settings);

// The same from the bytes of an environment block: NAME=VALUE, each ended by a zero byte (the last one may lack it).
void parse_settings(const char* environment, size_t bytes, Settings& settings);

}  // namespace fnprof::rt

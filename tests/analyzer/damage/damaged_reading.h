// Traces of several kinds, small enough to be damaged in every place, and what has to hold for whatever is read from a damaged one.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/profile.h"
#include "support/trace_builder.h"

namespace fnprof::testing {

struct Sample {
    std::string name;
    std::vector<uint8_t> trace;
    std::vector<uint8_t> live;            // empty: none
    std::vector<uint64_t> frames;         // where each frame of the trace begins
    std::vector<uint64_t> late_areas;     // those of them that are late areas
};

// One of each kind: exceptions, late areas, dropped records, fibers, a library replaced by another, a forked child, a killed process with
// its live file.
const std::vector<Sample>& samples();

// Of another run, that began after the samples had ended; threads and chunks have the same numbers.
const Sample& later_run();

// The profile, or nothing when the file was refused with a reason. Anything but a TraceError is a failure of the test.
std::optional<model::Profile> profile_of(const std::vector<uint8_t>& trace, const std::vector<uint8_t>& live);

// Why a damaged reading is not what was promised, given the figures of the whole file; empty: it is. The books must balance, and what
// differs must be told.
std::string complaint(const std::optional<model::Profile>& damaged, const std::string& whole_figures);
// Balance only: for bytes that no checksum covers and whose every value is possible.
std::string complaint_of_books(const std::optional<model::Profile>& damaged);

}  // namespace fnprof::testing

// Threads as rows: what each did, and in which order they stand.
#pragma once

#include "model/profile.h"
#include "report/page.h"

#include <cstdint>
#include <iosfwd>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fnprof::report {

enum class ThreadField { kBusy, kCalls, kUtilisation, kLife, kStart, kGaps, kLost, kSerial, kProcess, kTid, kName };

struct ThreadOrder {
    std::vector<ThreadField> fields{ThreadField::kBusy};  // most significant first
    std::string description = "time in instrumented code";
    bool reversed = false;
};

// A comma-separated list of keys. Throws UsageError.
ThreadOrder parse_thread_order(std::string_view keys);

// "busy, calls, ...": for help and messages.
std::string thread_key_names();

// Indices into Profile::threads; ties stand as there.
std::vector<uint32_t> sorted_threads(const model::Profile& profile, const ThreadOrder& order);

uint64_t life_ns(const model::Thread& thread);

void print_thread_table(std::ostream& out, const Page& page, std::span<const uint32_t> threads);

}  // namespace fnprof::report

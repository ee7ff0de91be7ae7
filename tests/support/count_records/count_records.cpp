// count_records TRACE: how many records of each kind a trace holds, as JSON. It knows the records and nothing of their meaning,
// so that tests can hold the analyzer's answers against it.
#include <cstdint>
#include <cstdio>
#include <exception>

#include "trace/trace_file.h"

int main(int argc, char** argv) {
    using namespace fnprof;
    if (argc != 2) {
        std::fprintf(stderr, "usage: count_records TRACE\n");
        return 2;
    }
    try {
        trace::TraceFile file(argv[1]);
        uint64_t kinds[format::kKindCount] = {};
        uint64_t dropped = 0, gap_ticks = 0, torn = 0;
        trace::RecordBlock block;
        while (file.next(block)) {
            torn += block.torn_count;
            for (const format::Event& event : block.records.events) {
                const format::Kind kind = format::kind_of(event.time_word);
                if (static_cast<unsigned>(kind) < format::kKindCount) ++kinds[static_cast<unsigned>(kind)];
                if (kind != format::Kind::kGap) continue;
                dropped += block.records.symbols[event.symbol].function;
                gap_ticks += block.records.symbols[event.symbol].call_site;
            }
        }
        const auto of = [&](format::Kind kind) { return static_cast<unsigned long long>(kinds[static_cast<unsigned>(kind)]); };
        std::printf("{\"enter\": %llu, \"exit\": %llu, \"throw\": %llu, \"catch\": %llu, \"longjmp\": %llu, \"gap\": %llu, \"mark\": %llu,\n"
                    " \"dropped_in_gaps\": %llu, \"gap_ticks\": %llu, \"torn\": %llu}\n",
                    of(format::Kind::kEnter), of(format::Kind::kExit), of(format::Kind::kThrow), of(format::Kind::kCatch),
                    of(format::Kind::kLongjmp), of(format::Kind::kGap), of(format::Kind::kMark), static_cast<unsigned long long>(dropped),
                    static_cast<unsigned long long>(gap_ticks), static_cast<unsigned long long>(torn));
    } catch (const std::exception& error) {
        std::fprintf(stderr, "count_records: %s\n", error.what());
        return 1;
    }
    return 0;
}

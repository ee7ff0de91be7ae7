#include "damaged_reading.h"

#include "model/aggregate.h"
#include "support/books.h"
#include "trace/trace_error.h"
#include "trace/trace_file.h"

namespace fnprof::testing {

namespace {

using format::Slot;

constexpr uint64_t kBias = 0x400000;
constexpr uint64_t kMain = kBias + 0x1000, kWork = kBias + 0x1100, kLeaf = kBias + 0x1200, kPlugin = 0x700100;
constexpr uint64_t kTop = 0x7ffe0000;

void begin(TraceBuilder& trace, uint64_t start) {
    trace.process_item.flags |= format::kMarksOn;
    trace.process_item.start_ticks = start;
    trace.process_item.wall_start_ns = 1'700'000'000'000'000'000;
    trace.process("/bin/app", {"app", "--fast"}).clock(format::ClockKind::kTsc, 1000).hook_cost(4000, 5000);
    trace.clock_pair(start, 5'000'000 + start).clock_pair(start + 100, 5'000'200 + start);
    trace.module(1, "/bin/app", kBias, kBias, kBias + 0x10000, {0xab, 0xcd});
}

void finish(TraceBuilder& trace, uint64_t end) {
    trace.names(1, {{0x1000, 0x100, "main"}, {0x1100, 0x100, "work"}, {0x1200, 0x100, "leaf"}});
    trace.clock_pair(end, 5'000'000 + 2 * end).end(end).metadata_block().seek_table();
}

// main works twice; work calls leaf.
std::vector<Slot> work(uint64_t ticks, uint64_t top = kTop) {
    std::vector<Slot> slots{enter(kMain, 0x10, top, ticks)};
    for (int turn = 0; turn < 2; ++turn, ticks += 40) {
        slots.push_back(enter(kWork, kMain + 0x20, top - 64, ticks + 10));
        slots.push_back(enter(kLeaf, kWork + 0x20, top - 128, ticks + 20));
        slots.push_back(exit(kLeaf, kWork + 0x20, top - 128, ticks + 30));
        slots.push_back(exit(kWork, kMain + 0x20, top - 64, ticks + 40));
    }
    slots.push_back(exit(kMain, 0x10, top, ticks + 10));
    return slots;
}

Sample sample(const std::string& name, const TraceBuilder& trace, std::vector<uint8_t> live = {}) {
    return {name, trace.bytes(), std::move(live), trace.frame_offsets(), {}};
}

// `rounds`: how often thread 2 works.
Sample exceptions(uint64_t start, const std::string& name, unsigned rounds = 1) {
    TraceBuilder trace;
    begin(trace, start);
    trace.metadata_block();
    trace.records(1, {enter(kMain, 0x10, kTop, start + 10), enter(kWork, kMain + 0x20, kTop - 64, start + 20),
                      enter(kLeaf, kWork + 0x20, kTop - 128, start + 30), throw_mark(kTop - 128, start + 40), catch_mark(kTop, start + 50)});
    for (unsigned round = 0; round < rounds; ++round) trace.records(2, work(start + 15 + 100 * round, kTop - 0x100000));
    std::vector<Slot> rest = {gap(10, start + 70), enter(kLeaf, kMain + 0x30, kTop - 64, start + 80), torn(),
                              exit(kLeaf, kMain + 0x30, kTop - 64, start + 90), exit(kMain, 0x10, kTop, start + 95)};
    trace.records(1, rest);
    trace.thread(1, 100, "app", start + 5, start + 95).thread(2, 101, "worker", start + 10, start + 110);
    finish(trace, start + 400);
    return sample(name, trace);
}

Sample late_areas() {
    TraceBuilder trace;
    begin(trace, 1000);
    trace.metadata_block().records(1, work(1010)).records(2, work(1020, kTop - 0x100000));
    trace.thread(1, 100, "app", 1005).thread(2, 101, "worker", 1010);
    finish(trace, 1200);
    Sample result;
    std::vector<uint64_t> areas{trace.bytes().size()};
    trace.late_area(1, 100, work(1300), 12);
    areas.push_back(trace.bytes().size());
    trace.late_area(2, 101, work(1400, kTop - 0x100000), 12);
    areas.push_back(trace.bytes().size());
    trace.late_area(1, 100, work(1500), 12);
    result = sample("late areas", trace);
    result.late_areas = areas;
    return result;
}

Sample dropped() {
    TraceBuilder trace;
    trace.process_item.flags = format::kDropPolicy;
    begin(trace, 1000);
    trace.metadata_block();
    std::vector<Slot> slots = work(1010);
    slots.pop_back();
    trace.records(1, slots);
    slots = {make_slot(format::Kind::kGap, 500, 100, static_cast<uint32_t>((kTop - 64) / 16), 1300),
             enter(kLeaf, kWork + 0x20, kTop - 128, 1310), exit(kLeaf, kWork + 0x20, kTop - 128, 1320), exit(kMain, 0x10, kTop, 1330)};
    trace.records(1, slots).thread(1, 100, "app", 1005, 1330, 500);
    finish(trace, 1400);
    return sample("dropped records", trace);
}

Sample fibers() {
    TraceBuilder trace;
    begin(trace, 1000);
    trace.metadata_block();
    constexpr uint64_t kFiber = 0x10000000;
    trace.records(1, {enter(kMain, 0x10, kTop, 1010), enter(kWork, 0x20, kFiber, 1020), enter(kLeaf, kMain + 0x20, kTop - 64, 1030),
                      exit(kLeaf, kMain + 0x20, kTop - 64, 1040)});
    trace.records(2, {enter(kMain, 0x10, kTop - 0x100000, 1015), enter(kLeaf, kWork + 0x20, kFiber - 64, 1050),
                      exit(kLeaf, kWork + 0x20, kFiber - 64, 1060), exit(kWork, 0x20, kFiber, 1070), exit(kMain, 0x10, kTop - 0x100000, 1080)});
    trace.records(1, {exit(kMain, 0x10, kTop, 1090)}).thread(1, 100, "app", 1005).thread(2, 101, "worker", 1008);
    finish(trace, 1200);
    return sample("fibers", trace);
}

Sample replaced_library() {
    TraceBuilder trace;
    begin(trace, 1000);
    trace.module(2, "/lib/one.so", 0x700000, 0x700000, 0x701000).metadata_block();
    const auto call = [](uint64_t ticks) {
        return std::vector<Slot>{enter(kPlugin, 0x10, kTop, ticks), exit(kPlugin, 0x10, kTop, ticks + 10)};
    };
    trace.records(1, call(1010)).unload(2, 1030).module(3, "/lib/two.so", 0x700000, 0x700000, 0x701000, {}, 1040).metadata_block();
    trace.records(1, call(1050)).names(2, {{0x100, 0x40, "one"}}).names(3, {{0x100, 0x40, "two"}}).thread(1, 100, "app", 1005);
    finish(trace, 1200);
    return sample("a library replaced", trace);
}

Sample forked_child() {
    TraceBuilder trace;
    trace.process_item.fork_parent_pid = 99;
    trace.process_item.fork_parent_start = 50;
    trace.process_item.fork_parent_thread = 1;
    trace.process_item.fork_ticks = 1001;
    begin(trace, 1000);
    trace.metadata_block().records(1, work(1010));
    trace.records(1, {exit(kWork, kMain + 0x20, kTop, 1150)}).thread(1, 4711, "app", 1005);  // its parent made the call
    finish(trace, 1200);
    return sample("a forked child", trace);
}

// Times as far apart as those of a run are: what is decided to within a clock's skew is not what these tests are about.
std::vector<Slot> stretched(std::vector<Slot> slots) {
    for (Slot& slot : slots) slot.time_word = format::make_time_word(format::ticks_of(slot.time_word) * 10'000, format::kind_of(slot.time_word));
    return slots;
}

Sample killed() {
    TraceBuilder trace;
    begin(trace, 10'000'000);
    trace.names(1, {{0x1000, 0x100, "main"}, {0x1100, 0x100, "work"}, {0x1200, 0x100, "leaf"}});
    trace.thread(1, 100, "app", 10'050'000).thread(2, 101, "worker", 10'100'000);
    trace.metadata_block().records(1, stretched(work(1010))).records(2, stretched(work(1020, kTop - 0x100000)));
    LiveFileBuilder live(trace.process_item);
    using format::ChunkUse;
    live.add_ring(4);
    live.add_chunk(3, 1, 1, ChunkUse::kPublished, stretched(work(1150)), 0, 12'900'000);
    live.add_chunk(2, 1, 2, ChunkUse::kOpen, stretched(work(1310)), 0, 13'000'000);
    live.add_chunk(0, 1, 0, ChunkUse::kFree, stretched(work(1010)), 0, 11'400'000);
    live.add_ring(4);
    std::vector<Slot> reused = work(1320, kTop - 0x100000);
    for (const Slot& stale : work(1020, kTop - 0x100000)) reused.push_back(stale);
    live.add_chunk(3, 2, 1, ChunkUse::kOpen, stretched(reused), 12'000'000, 13'100'000);
    return sample("a killed process", trace, live.bytes());
}

}  // namespace

const std::vector<Sample>& samples() {
    static const std::vector<Sample> all = {exceptions(1000, "exceptions"), late_areas(),   dropped(), fibers(),
                                            replaced_library(),             forked_child(), killed()};
    return all;
}

const Sample& later_run() {
    static const Sample later = exceptions(100'000'000, "a later run", 2);
    return later;
}

std::optional<model::Profile> profile_of(const std::vector<uint8_t>& trace, const std::vector<uint8_t>& live) {
    try {
        trace::TraceFile file = trace::TraceFile::from_bytes(trace, "damaged", live);
        return model::aggregate(file, "damaged");
    } catch (const trace::TraceError&) {
        return std::nullopt;
    }
}

std::string complaint_of_books(const std::optional<model::Profile>& damaged) { return damaged ? imbalance_of(*damaged) : std::string(); }

std::string complaint(const std::optional<model::Profile>& damaged, const std::string& whole_figures) {
    if (!damaged) return {};
    if (std::string fault = imbalance_of(*damaged); !fault.empty()) return fault;
    if (!damaged->integrity.complete) return {};
    // What was begun and not finished was never recorded: told, but nothing is incomplete.
    for (const std::string& remark : damaged->integrity.remarks) {
        if (damaged->integrity.torn_records > 0 && remark.find("unfinished") != std::string::npos) return {};
    }
    return figures_of(*damaged) == whole_figures ? std::string() : "other figures, and not a word:\n" + figures_of(*damaged);
}

}  // namespace fnprof::testing

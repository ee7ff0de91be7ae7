// Whole traces, written by the production encoder and read by the production reader, to profiles.
#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>
#include <string>

#include "model/aggregate.h"
#include "model/merge.h"
#include "support/temporary_directory.h"
#include "support/trace_builder.h"

namespace fnprof::model::test {

namespace {

using testing::catch_mark;
using testing::enter;
using testing::exit;
using testing::gap;
using testing::throw_mark;
using testing::TraceBuilder;

constexpr uint64_t kMain = 0x1100;
constexpr uint64_t kF = 0x1200;
constexpr uint64_t kG = 0x1300;
constexpr uint64_t kStack = 0x7ffc00000000;

// /bin/app at 0x1000 with main, f and g; two ticks a nanosecond.
void begin(TraceBuilder& trace, uint64_t pid = 100) {
    trace.process_item.pid = pid;
    trace.process_item.flags = format::kMarksOn;
    trace.process("/bin/app", {"app", "-v"});
    trace.clock(format::ClockKind::kTsc, 24000).clock_pair(0, 1000000).clock_pair(20000, 1010000).hook_cost(2000, 3000);
    trace.module(1, "/bin/app", 0x1000, 0x1000, 0x9000, {0xab});
    trace.names(1, {{0x100, 0x80, "main"}, {0x200, 0x80, "f"}, {0x300, 0x80, "g"}});
}

Profile read(const TraceBuilder& trace, const AggregateOptions& options = {}) {
    trace::TraceFile file = trace::TraceFile::from_bytes(trace.bytes(), "made up");
    return aggregate(file, "made up", options);
}

FunctionId id(const Profile& profile, const std::string& name) {
    const auto found = std::ranges::find(profile.functions, name, &Function::mangled);
    REQUIRE(found != profile.functions.end());
    return static_cast<FunctionId>(found - profile.functions.begin());
}

uint64_t calls(const Profile& profile, const std::string& caller, const std::string& callee) {
    uint64_t sum = 0;
    for (const Edge& edge : profile.edges) {
        const std::string& from = edge.caller == kNone ? "." : profile.functions[edge.caller].mangled;
        if (from == caller && profile.functions[edge.callee].mangled == callee) sum += edge.ncalls;
    }
    return sum;
}

// A process that forks at 2,400 ticks, when main has called f.
void write_forking_parent(const std::string& path) {
    TraceBuilder parent;
    parent.process_item.process_start = 7;
    begin(parent, 100);
    parent.metadata_block();
    parent.records(1, {enter(kMain, 0x500000, kStack, 2000), enter(kF, kMain + 0x20, kStack - 64, 2200), exit(kF, kMain + 0x20, kStack - 64, 3000),
                       exit(kMain, 0x500000, kStack, 3200)});
    parent.end(4000).metadata_block().write_file(path);
}

void forked_at_2400(TraceBuilder& child) {
    child.process_item.fork_parent_pid = 100;
    child.process_item.fork_parent_start = 7;
    child.process_item.fork_parent_thread = 1;
    child.process_item.fork_ticks = 2400;
}

// Its child: f calls g, and both are left. `time`: the child's clock at some ticks of its parent's.
void finish_forked(TraceBuilder& child, uint64_t (*time)(uint64_t ticks)) {
    child.metadata_block();
    child.records(1, {enter(kG, kF + 0x20, kStack - 128, time(2600)), exit(kG, kF + 0x20, kStack - 128, time(2800)),
                      exit(kF, kMain + 0x20, kStack - 64, time(3000)), exit(kMain, 0x500000, kStack, time(3400))});
    child.thread(1, 101, "app", time(2600)).end(time(4000)).metadata_block();
}

// Parent and child added up.
void check_family(const Profile& p) {
    CHECK(calls(p, "f", "g") == 1);
    CHECK(calls(p, "main", "f") == 1);
    CHECK(p.stats[id(p, "main")].ncalls == 1);
    CHECK(p.stats[id(p, "f")].cost.self_ns == 400 + 100 + 100);
    CHECK(p.stats[id(p, "main")].cost.cumulative_ns == 600 + 500);
    CHECK(p.integrity.unmatched_exits == 0);
    CHECK(p.integrity.open_frames == 0);
    CHECK(p.integrity.remarks.empty());
    CHECK(p.processes.size() == 2);
}

}  // namespace

TEST_CASE("a killed process's threads are played in the order of time, though nothing is known of them but their records") {
    // Thread 2 abandons a fiber, thread 1 begins another in the same memory later; its block comes first.
    constexpr uint64_t kFiber = kStack - 0x40000000;
    constexpr uint64_t kOther = kStack - 0x80000000;
    TraceBuilder trace;
    begin(trace);
    trace.metadata_block();
    trace.records(1, {enter(kMain, 0x500000, kStack, 4000), enter(kF, 0x500100, kFiber, 4200), enter(kG, kF + 0x20, kFiber - 64, 4400),
                      exit(kG, kF + 0x20, kFiber - 64, 4600), exit(kF, 0x500100, kFiber, 4800), exit(kMain, 0x500000, kStack, 5000)});
    trace.records(2, {enter(kMain, 0x500000, kOther, 2000), enter(kF, 0x500200, kFiber - 32, 2200), enter(kG, kF + 0x20, kFiber - 96, 2400),
                      exit(kMain, 0x500000, kOther, 2600)});
    const Profile p = read(trace);
    CHECK(calls(p, ".", "f") == 2);
    CHECK(calls(p, "f", "g") == 2);
    CHECK(calls(p, "f", "f") == 0);
    CHECK(p.stats[id(p, "f")].open_calls == 0);
    CHECK(p.integrity.unmatched_exits == 0);
}

TEST_CASE("reading that is stopped gives what was read, and says so") {
    TraceBuilder trace;
    begin(trace);
    trace.metadata_block();
    trace.records(1, {enter(kMain, 0x500000, kStack, 2000), enter(kF, kMain + 0x20, kStack - 64, 2200), exit(kF, kMain + 0x20, kStack - 64, 2600)});
    trace.records(1, {enter(kF, kMain + 0x20, kStack - 64, 2800), exit(kF, kMain + 0x20, kStack - 64, 3000), exit(kMain, 0x500000, kStack, 9000)});
    trace.thread(1, 100, "app", 2000).end(10000).metadata_block();
    std::vector<uint64_t> asked;
    AggregateOptions options;
    options.go_on = [&](const ReadSoFar& read) {
        asked.push_back(read.done);
        CHECK(read.total == 6);
        CHECK(read.path == "made up");
        return asked.size() < 2;
    };
    const Profile p = read(trace, options);
    CHECK(asked == std::vector<uint64_t>{0, 3});
    CHECK(p.stats[id(p, "f")].ncalls == 1);
    // main is open, and was last heard of at 2,600 ticks: 300 ns after it began.
    CHECK(p.stats[id(p, "main")].cost.cumulative_ns == 300);
    CHECK(p.stats[id(p, "main")].open_calls == 1);
    CHECK_FALSE(p.integrity.complete);
    CHECK(p.integrity.remarks == std::vector<std::string>{"made up: reading was stopped after 3 of 6 records"});
}

TEST_CASE("a trace of one thread becomes its profile") {
    TraceBuilder trace;
    begin(trace);
    trace.metadata_block();
    trace.records(1, {enter(kMain, 0x500000, kStack, 2000), enter(kF, kMain + 0x20, kStack - 64, 2200), exit(kF, kMain + 0x20, kStack - 64, 2600),
                      exit(kMain, 0x500000, kStack, 3000)});
    trace.thread(1, 100, "app", 2000).end(4000).metadata_block();
    const Profile p = read(trace);
    CHECK(p.functions.size() == 2);
    const FunctionStats& main = p.stats[id(p, "main")];
    CHECK(main.ncalls == 1);
    CHECK(main.cost.cumulative_ns == 500);
    CHECK(main.cost.self_ns == 300);
    CHECK(main.cost.self_hook_ps == 2000 + 3000);
    CHECK(main.cost.cumulative_hook_ps == 2000 + 5000);
    CHECK(p.stats[id(p, "f")].cost.self_ns == 200);
    CHECK(calls(p, "main", "f") == 1);
    CHECK(calls(p, ".", "main") == 1);
    REQUIRE(p.processes.size() == 1);
    const Process& process = p.processes[0];
    CHECK(process.pid == 100);
    CHECK(process.program == "/bin/app");
    CHECK(process.arguments == std::vector<std::string>{"app", "-v"});
    CHECK(process.trace == "made up");
    CHECK(process.ended);
    CHECK(process.marks_on);
    CHECK(process.clock_step_ps == 12000);
    CHECK(process.end_ns == 1010000);
    REQUIRE(p.threads.size() == 1);
    CHECK(p.threads[0].tid == 100);
    CHECK(p.threads[0].name == "app");
    CHECK(p.threads[0].start_ns == 1001000);
    CHECK(p.threads[0].ncalls == 2);
    CHECK(p.threads[0].busy_ns == 500);
    CHECK(p.integrity.complete);
    CHECK(p.integrity.unended_processes == 0);
    CHECK(p.integrity.remarks.empty());
    CHECK(p.modules[0].build_id == std::vector<uint8_t>{0xab});
}

TEST_CASE("raw profiles take the hooks' cost for nothing") {
    TraceBuilder trace;
    begin(trace);
    trace.metadata_block();
    trace.records(1, {enter(kMain, 0x500000, kStack, 2000), exit(kMain, 0x500000, kStack, 3000)});
    trace.end(4000).metadata_block();
    const Profile p = read(trace, {.raw = true});
    CHECK(p.stats[0].cost.self_hook_ps == 0);
    CHECK(p.stats[0].cost.self_net_ps() == 500000);
}

TEST_CASE("a killed process's calls stay open until the last moment that is known") {
    TraceBuilder trace;
    begin(trace);
    trace.metadata_block();
    trace.records(1, {enter(kMain, 0x500000, kStack, 2000), enter(kF, kMain + 0x20, kStack - 64, 3000)});
    const Profile p = read(trace);
    CHECK(p.stats[id(p, "main")].open_calls == 1);
    CHECK(p.stats[id(p, "f")].open_calls == 1);
    CHECK(p.integrity.open_frames == 2);
    CHECK(p.integrity.unended_processes == 1);
    CHECK(p.stats[id(p, "f")].cost.self_ns == 1010000 - 1001500);  // the last calibration pair
}

TEST_CASE("a thread that has ended keeps its end, whatever the process does afterwards") {
    TraceBuilder trace;
    begin(trace);
    trace.metadata_block();
    trace.records(1, {enter(kMain, 0x500000, kStack, 2000)});
    trace.records(2, {enter(kF, 0x500000, kStack - 0x1000000, 2000), throw_mark(kStack - 0x1000000, 2100)});
    trace.thread(2, 101, "w", 2000, 2400).end(10000).metadata_block();
    const Profile p = read(trace);
    CHECK(p.stats[id(p, "f")].cost.self_ns == 200);
    CHECK(p.stats[id(p, "f")].unwound_calls == 1);
    CHECK(p.stats[id(p, "main")].cost.self_ns == 4000);
    CHECK(p.stats[id(p, "main")].open_calls == 1);
}

TEST_CASE("marks in a trace end frames, gaps are taken out, lost records are told") {
    TraceBuilder trace;
    begin(trace);
    trace.metadata_block();
    trace.records(1, {enter(kMain, 0x500000, kStack, 2000), enter(kF, kMain + 0x20, kStack - 64, 2200),
                      enter(kG, kF + 0x20, kStack - 128, 2400), throw_mark(kStack - 128, 2600), catch_mark(kStack, 3000),
                      gap(1000, 4200), enter(kG, kMain + 0x30, kStack - 256, 4400), exit(kG, kMain + 0x30, kStack - 256, 4600),
                      gap(600, 5600, 12), exit(kMain, 0x500000, kStack, 6000)});
    trace.thread(1, 100, "app", 2000, 0, 12).end(7000).metadata_block();
    const Profile p = read(trace);
    CHECK(calls(p, "main", "g") == 1);
    CHECK(calls(p, "f", "g") == 1);
    CHECK(p.stats[id(p, "g")].unwound_calls == 1);
    CHECK(p.threads[0].gap_ns == 500);   // held up
    CHECK(p.threads[0].lost_ns == 300);  // not known
    CHECK(p.stats[id(p, "main")].cost.cumulative_ns == 2000 - 800);
    CHECK(p.integrity.lost_records == 12);
    CHECK_FALSE(p.integrity.complete);
    CHECK(p.integrity.unmatched_exits == 0);
}

TEST_CASE("what a thread lost, left unfinished, and its exits without an entry are told by thread and number") {
    TraceBuilder trace;
    begin(trace);
    trace.metadata_block();
    trace.records(1, {enter(kMain, 0x500000, kStack, 2000), exit(kMain, 0x500000, kStack, 2200)});
    trace.records(2, {enter(kF, 0x500000, kStack, 2000), testing::torn(), testing::torn(), exit(kF, 0x500000, kStack, 2200),
                      exit(kG, kF + 0x20, kStack, 2300)});
    trace.thread(1, 100, "app", 2000).thread(2, 101, "worker", 2000, 0, 7).end(7000).metadata_block();
    const Profile p = read(trace);
    const auto told = [&](const std::string& words) { return std::ranges::count(p.integrity.remarks, "made up: thread 2 (worker) " + words); };
    CHECK(told("lost 7 records for want of room") == 1);
    CHECK(told("left 2 records unfinished: they were ended or jumped away from in the middle") == 1);
    CHECK(told("has 1 function exit without an entry, not counted as calls") == 1);
    CHECK(p.integrity.remarks.size() == 3);
    CHECK(p.threads[1].lost_records == 7);
    CHECK(p.threads[1].torn_records == 2);
    CHECK(p.threads[1].unmatched_exits == 1);
}

TEST_CASE("of many threads that lack something the first are named and the others summed up") {
    TraceBuilder trace;
    begin(trace);
    trace.metadata_block();
    for (uint32_t thread = 1; thread <= 7; ++thread) trace.records(thread, {exit(kG, kF + 0x20, kStack, 2000 + thread)});
    trace.end(7000).metadata_block();
    const Profile p = read(trace);
    const auto told = [&](const std::string& words) { return std::ranges::count(p.integrity.remarks, "made up: " + words); };
    CHECK(told("thread 1 has 1 function exit without an entry, not counted as calls") == 1);
    CHECK(told("thread 5 has 1 function exit without an entry, not counted as calls") == 1);
    CHECK(told("2 more threads have 2 function exits without an entry, not counted as calls") == 1);
    CHECK(p.integrity.remarks.size() == 6);
}

TEST_CASE("a thread of nothing but unfinished records is told of, and a hole in front of such records is one") {
    TraceBuilder trace;
    begin(trace);
    trace.metadata_block();
    trace.records(1, {enter(kMain, 0x500000, kStack, 2000), enter(kF, kMain + 0x20, kStack - 64, 2200)});
    trace.skip_chunks(1, 1);
    trace.records(1, {testing::torn()});
    trace.records(1, {enter(kG, kMain + 0x30, kStack - 64, 4000), exit(kG, kMain + 0x30, kStack - 64, 4200)});
    trace.records(2, {testing::torn()});
    trace.thread(1, 100, "app", 2000).thread(2, 101, "worker", 2000).end(7000).metadata_block();
    const Profile p = read(trace);
    REQUIRE(p.threads.size() == 2);
    CHECK(p.threads[0].torn_records == 1);
    CHECK(p.threads[0].lost_ns > 0);
    CHECK(p.threads[1].torn_records == 1);
    CHECK(p.threads[1].ncalls == 0);
    CHECK(std::ranges::count_if(p.integrity.remarks, [](const std::string& remark) {
              return remark.starts_with("made up: thread 2 (worker) left 1 record unfinished");
          }) == 1);
}

TEST_CASE("a lost block leaves the rest right and is told") {
    TraceBuilder trace;
    begin(trace);
    trace.metadata_block();
    trace.records(1, {enter(kMain, 0x500000, kStack, 2000), enter(kF, kMain + 0x20, kStack - 64, 2200)});
    trace.skip_chunks(1, 3);
    trace.records(1, {enter(kG, kMain + 0x30, kStack - 64, 4000), exit(kG, kMain + 0x30, kStack - 64, 4200),
                      exit(kMain, 0x500000, kStack, 4400)});
    trace.end(5000).metadata_block();
    const Profile p = read(trace);
    CHECK(calls(p, "main", "g") == 1);
    CHECK(p.integrity.missing_chunks == 3);
    CHECK_FALSE(p.integrity.complete);
    CHECK(p.stats[id(p, "f")].unwound_calls == 1);
    CHECK(p.stats[id(p, "f")].cost.self_ns == 0);
    CHECK(p.stats[id(p, "main")].cost.cumulative_ns == 100 + 200);
}

TEST_CASE("a report on damage says where it is and what is missing, the first places one by one") {
    TraceBuilder trace;
    begin(trace);
    trace.metadata_block();
    for (uint64_t i = 0; i < 16; ++i) {
        trace.records(1, {enter(kMain, 0x500000, kStack, 2000 + 100 * i), exit(kMain, 0x500000, kStack, 2050 + 100 * i)});
    }
    trace.end(5000).metadata_block();
    const auto with_damages = [&](size_t count) {
        std::vector<uint8_t> bytes = trace.bytes();
        for (size_t i = 0; i < count; ++i) bytes[trace.frame_offsets()[1 + 2 * i] + 20] ^= 0x10;
        trace::TraceFile file = trace::TraceFile::from_bytes(bytes, "made up");
        return aggregate(file, "made up");
    };
    const auto told = [](const Profile& profile, const std::string& words) {
        return std::ranges::count_if(profile.integrity.remarks, [&](const std::string& text) { return text.find(words) != std::string::npos; });
    };
    CHECK(with_damages(0).integrity.remarks.empty());
    const Profile one = with_damages(1);
    CHECK(one.integrity.damaged_blocks == 1);
    CHECK(told(one, "made up: damaged at byte " + std::to_string(trace.frame_offsets()[1]) + ", ") == 1);
    CHECK(told(one, "made up: thread 1 lacks 1 chunk from number 0, up to 2730 records") == 1);
    CHECK(one.integrity.remarks.size() == 2);
    const Profile eight = with_damages(8);
    CHECK(eight.integrity.damaged_blocks == 8);
    CHECK(told(eight, "damaged at byte") == 5);
    CHECK(told(eight, "made up: damaged in 3 more places") == 1);
    CHECK(told(eight, " lacks 1 chunk ") == 5);
    CHECK(told(eight, "made up: threads lack 3 more chunks") == 1);
}

TEST_CASE("exception handling that was not recorded and a clock without frequency are told") {
    TraceBuilder trace;
    trace.process("/bin/app");
    trace.clock(format::ClockKind::kTsc, 0).clock_pair(0, 1000000);
    trace.metadata_block();
    trace.records(1, {enter(kMain, 0x500000, kStack, 2000), exit(kMain, 0x500000, kStack, 3000)});
    trace.end(4000).metadata_block();
    const Profile p = read(trace);
    CHECK(p.integrity.remarks.size() == 2);
    CHECK(p.functions[0].module == kNone);
    CHECK(p.functions[0].offset == kMain);
}

TEST_CASE("a forked child goes on under the calls that its parent had active, whatever the order of the traces") {
    TraceBuilder child;
    forked_at_2400(child);
    child.process_item.start_ticks = 2400;
    begin(child, 101);
    finish_forked(child, [](uint64_t ticks) { return ticks; });

    const TemporaryDirectory folder;
    const std::string parent_path = folder.file("trace.zst");
    const std::string child_path = folder.file("trace.101.zst");
    write_forking_parent(parent_path);
    child.write_file(child_path);
    check_family(aggregate({parent_path, child_path}));
    check_family(aggregate({child_path, parent_path}));
    const Profile alone = aggregate({child_path});
    CHECK(calls(alone, ".", "g") == 1);
    CHECK(alone.integrity.unmatched_exits == 2);
    CHECK(alone.integrity.remarks.size() == 2);  // the parent's trace is not there; two exits without an entry
}

// The parent's thread forbade itself the time stamp counter and forked: one tick of the child is a nanosecond, two of the parent.
TEST_CASE("a forked child may have another clock than its parent") {
    TraceBuilder child;
    forked_at_2400(child);
    child.process_item.start_ticks = 1001200;
    child.process_item.pid = 101;
    child.process_item.flags = format::kMarksOn | format::kForkByOtherClock;
    child.process("/bin/app", {"app", "-v"});
    child.clock(format::ClockKind::kMonotonicNs, 1000).hook_cost(2000, 3000);
    child.module(1, "/bin/app", 0x1000, 0x1000, 0x9000, {0xab});
    child.names(1, {{0x100, 0x80, "main"}, {0x200, 0x80, "f"}, {0x300, 0x80, "g"}});
    finish_forked(child, [](uint64_t ticks) { return 1'000'000 + ticks / 2; });

    const TemporaryDirectory folder;
    write_forking_parent(folder.file("trace.zst"));
    child.write_file(folder.file("trace.101.zst"));
    check_family(aggregate({folder.file("trace.zst"), folder.file("trace.101.zst")}));
}

TEST_CASE("an empty trace among others is told of, empty ones alone cannot be read") {
    const TemporaryDirectory folder;
    const std::string empty = folder.file("trace.7.zst");
    const std::string other = folder.file("trace.8.zst");
    const std::string full = folder.file("trace.zst");
    for (const std::string& path : {empty, other}) std::ofstream{path};
    TraceBuilder trace;
    begin(trace);
    trace.metadata_block();
    trace.records(1, {enter(kMain, 0x500000, kStack, 2000), exit(kMain, 0x500000, kStack, 3000)});
    trace.end(4000).metadata_block();
    trace.write_file(full);
    for (const std::vector<std::string>& paths : {std::vector{empty, full}, std::vector{full, empty}}) {
        const Profile p = aggregate(paths);
        CHECK(p.total_calls() == 1);
        CHECK(p.processes.size() == 1);
        CHECK(p.integrity.complete);
        CHECK(p.integrity.remarks == std::vector{empty + ": empty, the process that made it recorded nothing"});
    }
    CHECK_THROWS_AS(aggregate({empty}), trace::TraceError);
    CHECK_THROWS_AS(aggregate({empty, other}), trace::TraceError);
}

}  // namespace fnprof::model::test

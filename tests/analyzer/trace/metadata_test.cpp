#include "analyzer/trace/reading.h"

using namespace fnprof;
using namespace fnprof::testing;
using trace::Metadata;
using trace::TraceFile;

TEST_CASE("every fact of the metadata blocks is there") {
    TraceBuilder trace;
    trace.process_item.flags = format::kMarksOn;
    trace.process_item.fork_parent_pid = 99;
    trace.process("/usr/bin/app", {"app", "", "a b"}).clock(format::ClockKind::kMonotonicNs, 24450);
    trace.clock_pair(500, 700).clock_pair(0, 100).hook_cost(4100, 5200).notice(4, "something was switched off");
    trace.module(1, "/usr/bin/app", 0x400000, 0x401000, 0x500000, {1, 2, 3}).module(2, "/lib/plug.so", 0x7000, 0x7000, 0x9000, {}, 50);
    trace.metadata_block();
    trace.unload(2, 90).thread(2, 12, "sixteen-bytes-ab", 5, 0, 7).thread(1, 11, "main", 1, 80).thread(2, 12, "renamed", 5, 60, 8);
    trace.names(2, {{0x10, 4, "f"}, {0x20, 0, std::string(70000, 'x')}, {0x10, 5, "g"}}).end(95).metadata_block();
    const TraceFile file = open(trace);
    const Metadata& facts = file.metadata();

    CHECK(facts.has_process);
    CHECK(facts.process.facts.pid == trace.process_item.pid);
    CHECK(facts.process.facts.flags == format::kMarksOn);
    CHECK(facts.process.facts.fork_parent_pid == 99);
    CHECK(facts.process.executable == "/usr/bin/app");
    CHECK(facts.process.working_directory == "/home/user");
    CHECK(facts.process.host == "host");
    CHECK(facts.process.arguments == std::vector<std::string>{"app", "", "a b"});
    CHECK(facts.clock_kind == format::ClockKind::kMonotonicNs);
    CHECK(facts.step_milliticks == 24450);
    REQUIRE(facts.clock_pairs.size() == 2);
    CHECK(facts.clock_pairs[0].monotonic_ns == 100);  // sorted
    CHECK(facts.clock_pairs[1].ticks == 500);
    CHECK(facts.hook_inner_ps == 4100);
    CHECK(facts.hook_outer_ps == 5200);
    CHECK(facts.notices == std::vector<std::string>{"something was switched off"});
    CHECK(facts.marks_missing);

    REQUIRE(facts.modules.size() == 2);
    CHECK(facts.modules[0].path == "/usr/bin/app");
    CHECK(facts.modules[0].build_id == std::vector<uint8_t>{1, 2, 3});
    CHECK(facts.modules[0].bias == 0x400000);
    CHECK(facts.modules[0].start == 0x401000);
    CHECK(facts.modules[0].end == 0x500000);
    CHECK(facts.modules[0].unload_ticks == trace::ModuleLoad::kStillLoaded);
    CHECK(facts.modules[1].load_ticks == 50);
    CHECK(facts.modules[1].unload_ticks == 90);

    REQUIRE(facts.threads.size() == 2);  // the last item of a thread counts
    CHECK(facts.threads[0].name == "main");
    CHECK(facts.threads[0].end_ticks == 80);
    CHECK(facts.threads[1].name == "renamed");
    CHECK(facts.threads[1].lost_records == 8);

    CHECK(facts.names.find(2, 0x10)->mangled == "g");
    CHECK(facts.names.find(2, 0x10)->size == 5);
    CHECK(facts.names.find(2, 0x20)->mangled.size() == 70000);
    CHECK_FALSE(facts.names.find(1, 0x10));
    CHECK_FALSE(facts.names.find(2, 0x11));

    REQUIRE(facts.end);
    CHECK(facts.end->end_ticks == 95);
    CHECK(file.diagnostics().clean());
}

TEST_CASE("thread items with and without the bounds of the stack") {
    const auto item = [](uint64_t low, uint64_t high) { return format::ThreadItem{1, 11, 5, 0, 0, "main", low, high}; };
    const auto read = [](const format::ThreadItem& thread, size_t bytes) {
        TraceBuilder trace;
        trace.process("app").item(static_cast<uint16_t>(format::ItemType::kThread), &thread, bytes).metadata_block();
        const TraceFile file = open(trace);
        CHECK(file.diagnostics().clean());
        REQUIRE(file.metadata().threads.size() == 1);
        CHECK(file.metadata().threads[0].name == "main");
        return file.metadata().threads[0];
    };
    CHECK(read(item(0x1000, 0x9000), 64).stack_low == 0x1000);
    CHECK(read(item(0x1000, 0x9000), 64).stack_high == 0x9000);
    CHECK(read(item(0x1000, 0x9000), 48).stack_high == 0);
    CHECK(read(item(0x1000, 0x9000), 56).stack_low == 0);
}

TEST_CASE("names stay where they are while more are added") {
    trace::NameTable names;
    std::vector<std::string> expected;
    for (unsigned i = 0; i < 20000; ++i) {
        expected.push_back(std::string(i % 50, 'n') + std::to_string(i));
        names.add(1, i, 0, expected.back());
    }
    const std::string_view first = names.find(1, 0)->mangled;
    for (unsigned i = 20000; i < 40000; ++i) names.add(1, i, 0, "other");
    CHECK(first == expected[0]);
    for (unsigned i = 0; i < 20000; ++i) REQUIRE(names.find(1, i)->mangled == expected[i]);
}

TEST_CASE("an item that does not hold together is told, and the others are used") {
    using format::ItemType;
    const auto damaged = [](ItemType type, const std::vector<uint8_t>& payload) {
        TraceBuilder trace;
        trace.process("app").item(static_cast<uint16_t>(type), payload.data(), payload.size()).thread(1, 11, "main").metadata_block();
        const TraceFile file = open(trace);
        CHECK(file.metadata().has_process);
        CHECK(file.metadata().threads.size() == 1);
        return file.diagnostics().damaged_count == 1;
    };
    CHECK(damaged(ItemType::kProcess, std::vector<uint8_t>(sizeof(format::ProcessItem) + 4, 0xff)));
    CHECK(damaged(ItemType::kClock, {1, 2, 3}));
    CHECK(damaged(ItemType::kClockPair, std::vector<uint8_t>(17)));
    CHECK(damaged(ItemType::kHookCost, {1}));
    CHECK(damaged(ItemType::kModule, std::vector<uint8_t>(sizeof(format::ModuleItem))));
    CHECK(damaged(ItemType::kModuleUnload, {1}));
    CHECK(damaged(ItemType::kNames, {1, 0, 0, 0, 0xff, 0xff, 0xff, 0xff}));
    CHECK(damaged(ItemType::kThread, {1}));
    CHECK(damaged(ItemType::kEnd, {1}));
    CHECK(damaged(ItemType::kNotice, {1, 0, 0, 0, 0, 0, 0, 0, 9, 0, 0, 0, 'x'}));
}

TEST_CASE("an item longer than its block ends the block") {
    TraceBuilder trace;
    format::BlockHeader header{};
    header.kind = static_cast<uint8_t>(format::BlockKind::kMetadata);
    const format::ItemHeader item{static_cast<uint16_t>(format::ItemType::kClock), 0, 1000};
    const auto* raw = reinterpret_cast<const uint8_t*>(&item);
    trace.process("app").metadata_block().frame(header, std::vector<uint8_t>(raw, raw + sizeof item)).records(1, call(1, 100));
    TraceFile file = open(trace);
    CHECK(file.diagnostics().damaged_count == 1);
    CHECK(read_all(file).size() == 1);
}

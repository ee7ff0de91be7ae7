#include <doctest/doctest.h>

#include "model/timed_block.h"

namespace fnprof::model::test {

using format::Event;
using format::Kind;

namespace {

Event event(Kind kind, uint64_t time, uint32_t symbol = 0) { return {format::make_time_word(time, kind), symbol, 1000}; }

std::vector<uint64_t> times(const std::vector<Event>& events) {
    std::vector<uint64_t> result;
    for (const Event& one : events) result.push_back(format::ticks_of(one.time_word));
    return result;
}

}  // namespace

TEST_CASE("an enter that a handler interrupted is not later than the handler") {
    std::vector<Event> events{event(Kind::kEnter, 4), event(Kind::kEnter, 8), event(Kind::kEnter, 6), event(Kind::kExit, 7),
                              event(Kind::kExit, 12)};
    repair_times(events);
    CHECK(times(events) == std::vector<uint64_t>{4, 6, 6, 7, 12});
}

TEST_CASE("an exit that a handler interrupted is not earlier than the handler") {
    std::vector<Event> events{event(Kind::kEnter, 1), event(Kind::kEnter, 6), event(Kind::kExit, 7), event(Kind::kExit, 5),
                              event(Kind::kExit, 20)};
    repair_times(events);
    CHECK(times(events) == std::vector<uint64_t>{1, 6, 7, 7, 20});
}

TEST_CASE("a handler inside a handler inside a hook is repaired from the inside out") {
    std::vector<Event> events{event(Kind::kEnter, 30), event(Kind::kEnter, 20), event(Kind::kEnter, 10), event(Kind::kExit, 11),
                              event(Kind::kExit, 22), event(Kind::kExit, 40)};
    repair_times(events);
    CHECK(times(events) == std::vector<uint64_t>{10, 10, 10, 11, 22, 40});
    for (size_t i = 0; i < 3; ++i) CHECK(format::kind_of(events[i].time_word) == Kind::kEnter);
}

TEST_CASE("a block's ticks become nanoseconds and its symbols functions; other kinds' fields name nothing") {
    trace::Metadata metadata;
    trace::ModuleLoad app;
    app.id = 1;
    app.path = "/bin/app";
    app.start = app.bias = 0x1000;
    app.end = 0x9000;
    metadata.modules = {app};
    metadata.names.add(1, 0x100, 0x20, "main");
    metadata.names.add(1, 0x200, 0x20, "f");
    AddressMap addresses(metadata);
    const std::vector<format::ClockPair> pairs{{0, 0}, {2000, 1000}};
    const ClockMap clock(pairs, format::ClockKind::kTsc);
    format::DecodedBlock records;
    records.symbols = {{0x1100, 0x555}, {0x1200, 0x1110}, {7, 400}, {0x1300, 0x1400}};
    records.events = {event(Kind::kEnter, 100, 0), event(Kind::kEnter, 200, 1), event(Kind::kGap, 800, 2), event(Kind::kCatch, 810, 3),
                      event(Kind::kExit, 900, 1)};
    TimedBlock block;
    make_timed(records, addresses, clock, block);
    CHECK(times(block.events) == std::vector<uint64_t>{50, 100, 400, 405, 450});
    CHECK(addresses.function_count() == 2);
    const CallSymbol& f = block.symbols[block.events[1].symbol];
    CHECK(f.call_site == 0x1110);
    CHECK(f.site_function == block.symbols[block.events[0].symbol].function);
    const CallSymbol& gap = block.symbols[block.events[2].symbol];
    CHECK(gap.function == 7);
    CHECK(gap.call_site == 200);
    CHECK(block.dropped);
    CHECK(block.next == 0);
}

TEST_CASE("one symbol is two functions when a library is replaced within a block") {
    trace::Metadata metadata;
    for (uint32_t id = 1; id <= 2; ++id) {
        trace::ModuleLoad plugin;
        plugin.id = id;
        plugin.path = id == 1 ? "/pa.so" : "/pb.so";
        plugin.start = plugin.bias = 0x7000;
        plugin.end = 0x8000;
        metadata.modules.push_back(plugin);
    }
    metadata.modules[0].unload_ticks = 100;
    metadata.modules[1].load_ticks = 110;
    AddressMap addresses(metadata);
    const ClockMap clock;
    format::DecodedBlock records;
    records.symbols = {{0x7020, 0x555}};
    records.events = {event(Kind::kEnter, 50), event(Kind::kExit, 60), event(Kind::kEnter, 150), event(Kind::kExit, 160)};
    TimedBlock block;
    make_timed(records, addresses, clock, block);
    const auto function = [&](size_t i) { return block.symbols[block.events[i].symbol].function; };
    CHECK(function(0) == function(1));
    CHECK(function(2) == function(3));
    CHECK(function(0) != function(2));
    CHECK(addresses.function_count() == 2);
}

}  // namespace fnprof::model::test

// What is believed of a stack after records were lost: what the next records prove, and no more.
#include <doctest/doctest.h>

#include <map>

#include "model/aggregate.h"
#include "stack_script.h"
#include "support/books.h"
#include "support/trace_builder.h"

namespace fnprof::model::test {

namespace {

// main > w > a > leaf, each called from its caller's body; then a hole of 1,000 ns that ends at 1,200.
void stack_with_hole(Script& s) {
    s.at(100).enter("main", 1000);
    s.at(110).enter("w", 990, "main");
    s.at(120).enter("a", 980, "w");
    s.at(130).enter("leaf", 970, "a");
    s.at(1200).gap(1060, 5000, 970);
}

}  // namespace

TEST_CASE("a loop's calls after lost records are calls from the loop, not from each other") {
    for (const bool marks_on : {true, false}) {
        CAPTURE(marks_on);
        Script s(marks_on);
        stack_with_hole(s);
        SUBCASE("the same leaf") { s.enter("leaf", 970, "a"); }
        SUBCASE("its caller") { s.enter("a", 980, "w"); }
        SUBCASE("its caller's caller") { s.enter("w", 990, "main"); }
        SUBCASE("another function of the loop, in a larger frame") { s.enter("b", 950, "w"); }
        for (const char* function : {"w", "a", "leaf", "b"}) CHECK(s.edges(function, function) == 0);
        CHECK(s.edges("main", "w") == s.calls("w"));
        CHECK(s.edges("w", "a") == s.calls("a"));
        CHECK(s.edges("a", "leaf") == s.calls("leaf"));
        CHECK(s.edges("w", "b") == s.calls("b"));
        CHECK(s.thread().lost_ns == 1060);
        CHECK(s.thread().gap_ns == 0);
    }
}

TEST_CASE("a recursion goes on after lost records, at whatever depth") {
    Script s;
    s.enter("main", 1000);
    for (uint32_t depth = 0; depth < 10; ++depth) s.enter("fib", 990 - 10 * depth, depth == 0 ? "main" : "fib");
    s.gap(10, 5000, 900);
    SUBCASE("deeper") { s.enter("fib", 700, "fib"); }
    SUBCASE("as deep") { s.enter("fib", 900, "fib"); }
    SUBCASE("less deep") { s.enter("fib", 950, "fib"); }
    CHECK(s.edges("fib", "fib") == 10);
    CHECK(s.edges("main", "fib") == 1);
}

TEST_CASE("a caller that was entered among the lost records has a frame and the time, but no call") {
    Script s;
    stack_with_hole(s);
    s.at(1210).enter("leaf", 960, "b");
    CHECK(s.edges("b", "leaf") == 1);
    CHECK(s.edges("leaf", "leaf") == 0);
    CHECK(s.calls("b") == 0);
    s.at(1220).exit("leaf", 960, "b");
    SUBCASE("its exit says who called it: what it does not mention is over") {
        s.at(1250).exit("b", 970, "w");
        CHECK(s.self_ns("b") == 40);
        CHECK(s.chain() == "main>w");
        CHECK(s.endings("a", Ending::kProvedDead) == 1);
    }
    SUBCASE("by another one that was entered among them") {
        s.at(1250).exit("b", 970, "v");
        s.at(1260).enter("c", 960, "v");
        CHECK(s.edges("v", "c") == 1);
        s.end();
        CHECK(s.self_ns("v") == 10);
    }
    CHECK(s.counts().unmatched_exits == 0);
}

TEST_CASE("the time before the exit of a call that was entered among the lost records is that call's") {
    Script s;
    stack_with_hole(s);
    s.at(1230).exit("b", 960, "w");
    CHECK(s.self_ns("b") == 30);
    CHECK(s.calls("b") == 0);
    CHECK(s.self_ns("leaf") == 10);
    CHECK(s.chain() == "main>w");
    CHECK(s.counts().unmatched_exits == 1);
    s.at(1240).exit("w", 990, "main");
    s.at(1250).exit("main", 1000);
    CHECK(s.self_ns("w") == 20);
    CHECK(s.self_ns("main") == 20);
    CHECK(s.counts().unmatched_exits == 1);
}

TEST_CASE("after lost records an exit ends the call that was made from the same place, and no other") {
    Script s;
    s.at(100).enter("main", 1000);
    s.at(110).enter("a", 990, "main", 1);
    s.at(120).enter("helper", 980, "a", 1);
    s.at(200).gap(70, 5000, 980);
    SUBCASE("the same place") {
        s.at(210).exit("helper", 980, "a", 1);
        CHECK(s.chain() == "main>a");
        CHECK(s.counts().unmatched_exits == 0);
    }
    SUBCASE("another place of the same caller") {
        s.at(210).exit("helper", 980, "a", 2);
        CHECK(s.chain() == "main>a");
        CHECK(s.counts().unmatched_exits == 1);
        CHECK(s.endings("helper", Ending::kReturned) == 1);  // the one that was entered in the hole
        CHECK(s.endings("helper", Ending::kProvedDead) == 1);  // one machine frame makes one call at a time
    }
    SUBCASE("another caller") {
        s.at(210).exit("helper", 985, "main", 2);
        CHECK(s.chain() == "main");
        CHECK(s.counts().unmatched_exits == 1);
    }
}

TEST_CASE("an exit lower than a doubtful frame of its function is that of a deeper call") {
    Script s;
    s.enter("main", 1000);
    s.enter("f", 990, "main");
    s.enter("g", 980, "f");
    s.gap(10, 5000, 980);
    s.exit("g", 900, "f");  // of a recursion f > g > f > g
    s.exit("f", 910, "g");
    CHECK(s.chain().substr(0, 6) == "main>f");
    s.exit("g", 980, "f");
    s.exit("f", 990, "main");
    CHECK(s.chain() == "main");
}

TEST_CASE("a thread whose first records are lost shows the callers that its records name") {
    testing::TraceBuilder trace;
    trace.process_item.flags = format::kMarksOn;
    trace.process("/bin/app").clock_pair(0, 0).clock_pair(1000, 1000).module(1, "/bin/app", 0x400000, 0x400000, 0x500000);
    trace.names(1, {{0x1000, 0x100, "w"}, {0x1100, 0x100, "a"}, {0x1200, 0x100, "leaf"}}).metadata_block();
    trace.skip_chunks(1, 1);
    std::vector<format::Slot> slots;
    for (uint64_t ticks = 100; ticks < 200; ticks += 10) {
        slots.push_back(testing::enter(0x401200, 0x401110, 0x7000, ticks));  // leaf, called from a
        slots.push_back(testing::exit(0x401200, 0x401110, 0x7000, ticks + 5));
    }
    slots.push_back(testing::exit(0x401100, 0x401010, 0x7100, 200));   // a ends, called from w
    slots.push_back(testing::enter(0x401100, 0x401010, 0x7100, 210));  // w calls it again
    slots.push_back(testing::exit(0x401100, 0x401010, 0x7100, 220));
    trace.records(1, slots).end(300).metadata_block();
    trace::TraceFile file = trace::TraceFile::from_bytes(trace.bytes(), "lost");
    const Profile profile = aggregate(file, "lost");
    REQUIRE(testing::imbalance_of(profile) == "");
    const auto edge = [&](const std::string& caller, const std::string& callee) {
        uint64_t calls = 0;
        for (const Edge& one : profile.edges) {
            const std::string from = one.caller == kNone ? "." : profile.functions[one.caller].mangled;
            if (from == caller && profile.functions[one.callee].mangled == callee) calls += one.ncalls;
        }
        return calls;
    };
    CHECK(edge("a", "leaf") == 10);
    CHECK(edge("w", "a") == 1);
    CHECK(edge(".", "leaf") == 0);
    CHECK(edge(".", "a") == 0);
    CHECK(profile.total_calls() == 11);
    CHECK_FALSE(profile.integrity.complete);
}

TEST_CASE("blocks that are missing in the middle leave no false callers, and the hole is nobody's time") {
    testing::TraceBuilder trace;
    trace.process_item.flags = format::kMarksOn;
    trace.process("/bin/app").clock_pair(0, 0).clock_pair(100'000, 100'000).module(1, "/bin/app", 0x400000, 0x400000, 0x500000);
    trace.names(1, {{0x1000, 0x100, "main"}, {0x1100, 0x100, "w"}, {0x1200, 0x100, "a"}, {0x1300, 0x100, "leaf"}}).metadata_block();
    // main calls w for ever, w calls a twice, a calls leaf three times: 18 records a turn, cut into blocks anywhere.
    std::vector<format::Slot> all{testing::enter(0x401000, 0x500000, 0x7400, 10)};
    uint64_t ticks = 10;
    for (int turn = 0; turn < 100; ++turn) {
        all.push_back(testing::enter(0x401100, 0x401010, 0x7300, ++ticks));
        for (unsigned a = 0; a < 2; ++a) {
            all.push_back(testing::enter(0x401200, 0x401110 + 16 * a, 0x7200, ++ticks));
            for (unsigned leaf = 0; leaf < 3; ++leaf) {
                all.push_back(testing::enter(0x401300, 0x401210 + 16 * leaf, 0x7100, ++ticks));
                all.push_back(testing::exit(0x401300, 0x401210 + 16 * leaf, 0x7100, ++ticks));
            }
            all.push_back(testing::exit(0x401200, 0x401110 + 16 * a, 0x7200, ++ticks));
        }
        all.push_back(testing::exit(0x401100, 0x401010, 0x7300, ++ticks));
    }
    all.push_back(testing::exit(0x401000, 0x500000, 0x7400, ++ticks));
    const size_t kBlock = 7;  // no divisor of a turn: holes begin and end everywhere
    std::map<uint64_t, uint64_t> enters;
    uint64_t kept_records = 0;
    for (size_t block = 0; block * kBlock < all.size(); ++block) {
        if (block % 5 == 3) {
            trace.skip_chunks(1, 1);
            continue;
        }
        const auto from = all.begin() + static_cast<ptrdiff_t>(block * kBlock);
        const std::vector<format::Slot> part(from, from + static_cast<ptrdiff_t>(std::min(kBlock, all.size() - block * kBlock)));
        for (const format::Slot& slot : part) {
            ++kept_records;
            if (format::kind_of(slot.time_word) == format::Kind::kEnter) ++enters[format::function_of(slot) - 0x400000];
        }
        trace.records(1, part);
    }
    trace.metadata_block();
    trace::TraceFile file = trace::TraceFile::from_bytes(trace.bytes(), "lost");
    const Profile profile = aggregate(file, "lost");
    REQUIRE(testing::imbalance_of(profile) == "");
    const std::map<std::string, std::string> callers = {{"main", "."}, {"w", "main"}, {"a", "w"}, {"leaf", "a"}};
    for (const Edge& edge : profile.edges) {
        if (edge.ncalls == 0) continue;  // of a call whose entry is lost
        const std::string caller = edge.caller == kNone ? "." : profile.functions[edge.caller].mangled;
        const std::string callee = profile.functions[edge.callee].mangled;
        CAPTURE(caller);
        CAPTURE(callee);
        CHECK(callers.at(callee) == caller);
    }
    for (size_t i = 0; i < profile.functions.size(); ++i) {
        CHECK(profile.stats[i].ncalls == enters[profile.functions[i].offset]);
        CHECK(profile.stats[i].primitive_calls == profile.stats[i].ncalls);
    }
    CHECK_FALSE(profile.integrity.complete);
    CHECK(profile.threads.at(0).gap_ns == 0);
    CHECK(profile.threads.at(0).lost_ns >= all.size() - kept_records);
    CHECK(profile.threads.at(0).lost_ns + profile.threads.at(0).busy_ns == ticks - 10);
}

}  // namespace fnprof::model::test

// Threads' blocks in the order of the file, not of time.
#include <doctest/doctest.h>

#include <algorithm>
#include <iterator>
#include <random>
#include <utility>

#include "model/replay.h"
#include "model/select_paths.h"
#include "model/statistics.h"

namespace fnprof::model::test {

namespace {

using format::Kind;

constexpr uint32_t kStackA = 3000000000;
constexpr uint32_t kStackB = 3100000000;
constexpr uint32_t kFiber = 50000;

enum : FunctionId { kWa, kWb, kOuter, kInner, kLate, kFunctions };

// Blocks written record by record.
class Blocks {
  public:
    Blocks& enter(FunctionId function, uint32_t stack, uint64_t ns, FunctionId caller = kNone) {
        return add(Kind::kEnter, {.call_site = 100u * (uint64_t{caller} + 1) + function, .function = function, .site_function = caller}, stack, ns);
    }
    Blocks& exit(FunctionId function, uint32_t stack, uint64_t ns) { return add(Kind::kExit, {.function = function}, stack, ns); }
    TimedBlock take() { return std::exchange(block_, {}); }

  private:
    Blocks& add(Kind kind, CallSymbol symbol, uint32_t stack, uint64_t ns) {
        block_.symbols.push_back(symbol);
        block_.events.push_back({format::make_time_word(ns, kind), static_cast<uint32_t>(block_.symbols.size() - 1), stack});
        return *this;
    }
    TimedBlock block_;
};

Profile profile_of(Replay& replay, uint64_t end_ns) {
    replay.drain();
    for (const auto& [serial, thread] : replay.threads()) replay.end_thread(serial, end_ns, false);
    replay.end_process();
    Profile profile;
    profile.functions.resize(kFunctions);
    derive_statistics(replay.sink(), profile);
    return profile;
}

uint64_t calls(const Profile& profile, FunctionId caller, FunctionId callee) {
    uint64_t sum = 0;
    for (const Edge& edge : profile.edges) sum += edge.caller == caller && edge.callee == callee ? edge.ncalls : 0;
    return sum;
}

// A fiber begun by thread 1 and continued by thread 2.
TimedBlock first_half() {
    return Blocks().enter(kWa, kStackA, 100).enter(kOuter, kFiber, 110).enter(kInner, kFiber - 10, 120, kOuter).exit(kWa, kStackA, 130)
        .take();
}
TimedBlock second_half() {
    return Blocks().enter(kWb, kStackB, 200).exit(kInner, kFiber - 10, 210).enter(kLate, kFiber - 10, 220, kOuter)
        .exit(kLate, kFiber - 10, 230).exit(kWb, kStackB, 240).take();
}

void check_one_stack(const Profile& profile, const Replay& replay) {
    CHECK(calls(profile, kOuter, kInner) == 1);
    CHECK(calls(profile, kOuter, kLate) == 1);
    CHECK(calls(profile, kNone, kLate) == 0);
    CHECK(replay.counts().unmatched_exits == 0);
    CHECK(replay.counts().misordered == 0);
    CHECK(profile.stats[kInner].cost.self_ns == 10);
}

}  // namespace

TEST_CASE("a fiber that changes threads inside the function that switches between stacks is one stack, whichever thread's block comes first") {
    // kInner switches: both threads are in it when control arrives on the fiber, which is in it too.
    TimedBlock first = Blocks().enter(kWa, kStackA, 100).enter(kOuter, kFiber, 110).enter(kInner, kFiber - 10, 120, kOuter)
        .exit(kWa, kStackA, 130).take();
    TimedBlock second = Blocks().enter(kWb, kStackB, 200).enter(kInner, kStackB - 10, 205, kWb).enter(kLate, kFiber - 20, 210, kInner)
        .exit(kLate, kFiber - 20, 220).exit(kInner, kFiber - 10, 230).exit(kInner, kStackB - 10, 240).exit(kWb, kStackB, 250).take();
    Replay replay(true, {}, 1 << 20);
    replay.announce(1, 100);
    replay.announce(2, 200);
    SUBCASE("first thread first") {
        replay.add(1, first, false);
        replay.add(2, second, false);
    }
    SUBCASE("second thread first") {
        replay.add(2, second, false);
        replay.add(1, first, false);
    }
    const Profile profile = profile_of(replay, 300);
    CHECK(calls(profile, kInner, kLate) == 1);
    CHECK(calls(profile, kOuter, kInner) == 1);
    CHECK(calls(profile, kWb, kInner) == 1);
    CHECK(replay.counts().unmatched_exits == 0);
    CHECK(profile.stats[kInner].cost.self_ns == 10 + 5 + 10);  // up to 130 and from 220 on the fiber, from 205 on the thread's stack
}

TEST_CASE("a fiber that changes threads is one stack, whichever thread's block comes first") {
    for (const bool in_order : {true, false}) {
        CAPTURE(in_order);
        Replay replay(true, {}, 1 << 20);
        replay.announce(1, 100);
        replay.announce(2, 200);
        TimedBlock first = first_half();
        TimedBlock second = second_half();
        replay.add(in_order ? 1 : 2, in_order ? first : second, false);
        replay.add(in_order ? 2 : 1, in_order ? second : first, false);
        check_one_stack(profile_of(replay, 240), replay);
    }
}

TEST_CASE("a fiber that goes back and forth between threads is followed through blocks in any order") {
    // Slice i of the fiber runs on thread 1 + i % 2 and leaves with a call that the next slice returns from.
    constexpr uint64_t kSlices = 40;
    for (uint32_t order = 0; order < 4; ++order) {
        CAPTURE(order);
        std::vector<std::pair<uint32_t, TimedBlock>> blocks;
        for (uint64_t i = 0; i < kSlices; ++i) {
            const uint64_t ns = 1000 + 100 * i;
            const bool on_a = i % 2 == 0;
            Blocks slice;
            slice.enter(on_a ? kWa : kWb, on_a ? kStackA : kStackB, ns);
            if (i == 0) {
                slice.enter(kOuter, kFiber, ns + 10);
            } else {
                slice.exit(kInner, kFiber - 10, ns + 10);
            }
            slice.enter(kInner, kFiber - 10, ns + 20, kOuter);
            slice.exit(on_a ? kWa : kWb, on_a ? kStackA : kStackB, ns + 50);
            blocks.emplace_back(on_a ? 1 : 2, slice.take());
        }
        const auto by_thread = [](const auto& a, const auto& b) { return a.first < b.first; };
        const auto by_thread_backwards = [](const auto& a, const auto& b) { return a.first > b.first; };
        if (order == 1) std::ranges::stable_sort(blocks, by_thread);
        if (order == 2) std::ranges::stable_sort(blocks, by_thread_backwards);
        // In order 3 hardly anything may wait.
        Replay replay(true, {}, order == 3 ? 1 : 1 << 20);
        replay.announce(1, 1000);
        replay.announce(2, 1100);
        for (auto& [serial, block] : blocks) replay.add(serial, block, false);
        const Profile profile = profile_of(replay, 10000);
        CHECK(calls(profile, kOuter, kInner) == kSlices);
        CHECK(calls(profile, kNone, kOuter) == 1);
        CHECK(replay.counts().unmatched_exits == 0);
        CHECK(replay.counts().misordered == 0);
        CHECK(profile.stats[kInner].open_calls == 1);
        CHECK(profile.stats[kInner].cost.self_ns == 30 * kSlices);
    }
}

TEST_CASE("what waits is bounded: beyond the limit the earliest record goes on") {
    Replay replay(true, {}, 100000);
    replay.announce(1, 0);
    replay.announce(2, 0);  // never seen: might have had the fiber
    constexpr uint64_t kRounds = 20000;
    TimedBlock start = Blocks().enter(kWa, kStackA, 5).enter(kOuter, kFiber, 6).take();
    replay.add(1, start, false);
    for (uint64_t i = 0; i < kRounds; ++i) {
        TimedBlock block = Blocks().enter(kWb, kStackA - 10, 10 * i + 10, kWa).exit(kWb, kStackA - 10, 10 * i + 12)
                               .enter(kInner, kFiber - 10, 10 * i + 14, kOuter).exit(kInner, kFiber - 10, 10 * i + 16).take();
        replay.add(1, block, false);
        size_t bytes = 0;
        for (const TimedBlock& waiting : replay.threads().at(1).waiting) bytes += waiting.bytes();
        REQUIRE(bytes <= 100000);
    }
    const Profile profile = profile_of(replay, 1000000);
    CHECK(calls(profile, kOuter, kInner) == kRounds);
    CHECK(calls(profile, kWa, kWb) == kRounds);
    CHECK(replay.counts().unmatched_exits == 0);
}

TEST_CASE("records missing between two blocks are nobody's time and leave no wrong callers") {
    Replay replay(true, {}, 1 << 20);
    TimedBlock before = Blocks().enter(kOuter, 5000, 100).enter(kInner, 4990, 110, kOuter).take();
    TimedBlock after = Blocks().enter(kLate, 4980, 500, kOuter).exit(kLate, 4980, 510).exit(kOuter, 5000, 520).take();
    replay.add(1, before, false);
    replay.add(1, after, true);
    const Profile profile = profile_of(replay, 520);
    CHECK(calls(profile, kOuter, kLate) == 1);
    CHECK(profile.stats[kInner].unwound_calls == 1);
    CHECK(profile.stats[kInner].cost.self_ns == 0);
    CHECK(profile.stats[kOuter].cost.self_ns == 20);
    CHECK(replay.threads().at(1).stack.lost_ns == 390);
    CHECK(replay.threads().at(1).stack.gap_ns == 0);
}

TEST_CASE("records that make no sense are counted all the same: calls, and time that adds up") {
    for (uint32_t seed = 1; seed <= 300; ++seed) {
        CAPTURE(seed);
        std::mt19937 random(seed);
        const auto below = [&](uint32_t limit) { return static_cast<uint32_t>(random() % limit); };
        Replay replay(seed % 3 != 0, {}, seed % 5 == 0 ? 3000 : 1 << 20);
        uint64_t now[4] = {1000, 1000, 1000, 1000};
        uint64_t enters = 0;
        for (int i = 0; i < 60; ++i) {
            const uint32_t serial = 1 + below(4);
            TimedBlock block;
            for (uint32_t n = 1 + below(60); n > 0; --n) {
                constexpr Kind kKinds[] = {Kind::kEnter, Kind::kEnter, Kind::kEnter, Kind::kExit, Kind::kExit, Kind::kThrow, Kind::kCatch,
                                           Kind::kLongjmp, Kind::kGap, Kind::kMark, Kind::kNone};
                const Kind kind = kKinds[below(std::size(kKinds))];
                enters += kind == Kind::kEnter;
                CallSymbol symbol{.call_site = below(6), .function = below(kFunctions), .site_function = below(2) == 0 ? kNone : below(kFunctions)};
                if (kind == Kind::kGap) symbol = {.call_site = below(50), .function = below(2)};
                now[serial - 1] += below(30);
                const uint32_t stack = below(3) * 60000 + below(8) * (below(4) == 0 ? 700 : 3) - (below(50) == 0 ? 100 : 0);
                block.symbols.push_back(symbol);
                block.events.push_back({format::make_time_word(now[serial - 1], kind), static_cast<uint32_t>(block.symbols.size() - 1), stack});
            }
            replay.add(serial, block, below(20) == 0);
        }
        const Profile profile = profile_of(replay, 100000);
        uint64_t busy = 0;
        uint64_t calls_of_threads = 0;
        for (const auto& [serial, thread] : replay.threads()) {
            busy += thread.stack.busy_ns;
            calls_of_threads += thread.stack.ncalls;
        }
        CHECK(profile.total_calls() == enters);
        CHECK(calls_of_threads == enters);
        CHECK(profile.total_self_ns() == busy);
        uint64_t primitive = 0;
        for (const CallPath& path : profile.paths) {
            if (path.parent == kNone) primitive += path.cost.cumulative_ns;
        }
        CHECK(primitive == busy);
    }
}

// Records of four threads on three stacks, of every kind and in no sensible order; each thread's in the order of time.
class Nonsense {
  public:
    explicit Nonsense(uint32_t seed) : seed_(seed), random_(seed) {}

    Profile play(const CallSelection* selection, SelectingSink::Weights* weights = nullptr) {
        random_.seed(seed_);
        Replay replay(seed_ % 3 != 0, {.inner_ps = 300, .outer_ps = 200}, 1 << 20, {}, false, selection);
        uint64_t now[4] = {1000, 1000, 1000, 1000};
        for (int i = 0; i < 60; ++i) {
            const uint32_t serial = 1 + below(4);
            TimedBlock block;
            for (uint32_t n = 1 + below(60); n > 0; --n) add(block, now[serial - 1] += below(30));
            replay.add(serial, block, below(20) == 0);
        }
        Profile profile = profile_of(replay, 100000);
        if (weights != nullptr) *weights = replay.selected()->weights();
        return profile;
    }

  private:
    uint32_t below(uint32_t limit) { return static_cast<uint32_t>(random_() % limit); }
    void add(TimedBlock& block, uint64_t ns) {
        constexpr Kind kKinds[] = {Kind::kEnter, Kind::kEnter, Kind::kEnter, Kind::kExit, Kind::kExit, Kind::kThrow, Kind::kCatch, Kind::kLongjmp, Kind::kGap};
        const Kind kind = kKinds[below(std::size(kKinds))];
        CallSymbol symbol{.call_site = below(6), .function = below(kFunctions), .site_function = below(2) == 0 ? kNone : below(kFunctions)};
        if (kind == Kind::kGap) symbol = {.call_site = below(50), .function = below(2)};
        const uint32_t stack = below(3) * 60000 + below(8) * (below(4) == 0 ? 700 : 3);
        block.symbols.push_back(symbol);
        block.events.push_back({format::make_time_word(ns, kind), static_cast<uint32_t>(block.symbols.size() - 1), stack});
    }

    uint32_t seed_;
    std::mt19937 random_;
};

TEST_CASE("on fibers too, threads and ranges of time add up to the whole, and folding takes nothing away that has a caller") {
    for (uint32_t seed = 1; seed <= 100; ++seed) {
        CAPTURE(seed);
        Nonsense program(seed);
        const Weight whole = weight_of(program.play(nullptr));
        Weight threads, ranges;
        for (uint32_t serial = 1; serial <= 4; ++serial) {
            const CallSelection one{.takes_thread = [serial](uint32_t other) { return other == serial; }};
            threads += weight_of(program.play(&one));
        }
        CHECK(threads.calls == whole.calls);
        CHECK(threads.self_ns == whole.self_ns);
        for (const CallSelection& range : {CallSelection{.until_ns = 9000}, CallSelection{.from_ns = 9000, .until_ns = 12000}, CallSelection{.from_ns = 12000}}) {
            ranges += weight_of(program.play(&range));
        }
        CHECK(ranges.calls == whole.calls);
        CHECK(ranges.self_ns == whole.self_ns);
        SelectingSink::Weights weights;
        const CallSelection folding{.most_depth = 4, .least_ns = 80};
        const Weight folded = weight_of(program.play(&folding, &weights));
        CHECK(weights.all == whole);
        CHECK(folded == weights.shown);
        CHECK(folded.calls + weights.folded.calls == whole.calls);
        const CallSelection shallow{.most_depth = 2};
        CHECK(weight_of(program.play(&shallow)).self_ns == whole.self_ns);
        CHECK(weight_of(program.play(&shallow)).self_hook_ps == whole.self_hook_ps);
    }
}

TEST_CASE("a snapshot shows the calls active at its time, and a child that inherits them counts none of them") {
    Replay parent(true, {}, 1 << 20);
    StackSnapshot snapshot;
    snapshot.thread = 1;
    snapshot.ns = 125;
    parent.watch(snapshot);
    TimedBlock block = Blocks().enter(kOuter, 5000, 100).enter(kWa, 4990, 105, kOuter).exit(kWa, 4990, 110)
                           .enter(kInner, 4990, 120, kOuter).exit(kInner, 4990, 130).exit(kOuter, 5000, 140).take();
    parent.add(1, block, false);
    parent.drain();
    REQUIRE(snapshot.regions.size() == 1);
    CHECK(snapshot.regions[0].own);
    CHECK(snapshot.regions[0].current);
    REQUIRE(snapshot.regions[0].calls.size() == 2);
    CHECK(snapshot.regions[0].calls[0].function == kOuter);
    CHECK(snapshot.regions[0].calls[1].function == kInner);

    Replay child(true, {}, 1 << 20);
    child.inherit(1, snapshot);
    TimedBlock records = Blocks().enter(kLate, 4980, 200, kInner).exit(kLate, 4980, 210).exit(kInner, 4990, 220).take();
    child.add(1, records, false);
    const Profile profile = profile_of(child, 300);
    CHECK(calls(profile, kInner, kLate) == 1);
    CHECK(profile.stats[kOuter].ncalls == 0);
    CHECK(profile.stats[kInner].ncalls == 0);
    CHECK(profile.stats[kInner].cost.self_ns == 75 + 10);
    CHECK(profile.stats[kOuter].cost.self_ns == 80);
    CHECK(profile.stats[kOuter].cost.cumulative_ns == 175);
    CHECK(profile.stats[kOuter].open_calls == 0);
    CHECK(child.sink().open_calls() == 0);
    CHECK(child.counts().unmatched_exits == 0);
}

TEST_CASE("a child forked on a fiber inherits the stack that the fiber was started from") {
    Replay parent(true, {}, 1 << 20);
    StackSnapshot snapshot;
    snapshot.thread = 1;
    snapshot.ns = 125;
    parent.watch(snapshot);
    TimedBlock block = Blocks().enter(kOuter, kStackA, 100).enter(kWa, kStackA - 10, 105, kOuter).enter(kInner, kFiber, 110)
                           .exit(kInner, kFiber, 140).exit(kWa, kStackA - 10, 150).exit(kOuter, kStackA, 160).take();
    parent.add(1, block, false);
    parent.drain();
    REQUIRE(snapshot.regions.size() == 2);
    CHECK(snapshot.regions[0].own);
    CHECK(snapshot.regions[1].current);

    Replay child(true, {}, 1 << 20);
    child.inherit(1, snapshot);
    TimedBlock records = Blocks().enter(kLate, kFiber - 10, 200, kInner).exit(kLate, kFiber - 10, 210).exit(kInner, kFiber, 220)
                             .enter(kLate, kStackA - 20, 230, kWa).exit(kLate, kStackA - 20, 240).exit(kWa, kStackA - 10, 250)
                             .exit(kOuter, kStackA, 260).take();
    child.add(1, records, false);
    const Profile profile = profile_of(child, 300);
    CHECK(calls(profile, kInner, kLate) == 1);
    CHECK(calls(profile, kWa, kLate) == 1);
    CHECK(profile.total_calls() == 2);
    CHECK(profile.stats[kOuter].cost.cumulative_ns == 40);
    CHECK(child.counts().unmatched_exits == 0);
}

}  // namespace fnprof::model::test

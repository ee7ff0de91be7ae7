#include <doctest/doctest.h>

#include <algorithm>
#include <random>

#include "model/slowest_calls.h"

namespace fnprof::model::test {

namespace {

std::vector<uint64_t> starts(const std::vector<CallInstance>& calls) {
    std::vector<uint64_t> result;
    for (const CallInstance& call : calls) result.push_back(call.start_ns);
    return result;
}

}  // namespace

TEST_CASE("the same calls are kept as the slowest, and as the first, whatever order they come in") {
    std::mt19937 random(1);
    std::vector<CallInstance> calls;
    for (uint64_t i = 0; i < 500; ++i) calls.push_back({.start_ns = 1000 + i, .duration_ns = random() % 20, .elapsed_ns = 30, .path = 0, .thread = 1});
    std::vector<CallInstance> sorted = calls;
    std::ranges::sort(sorted, is_slower);
    sorted.resize(kSlowestKept);
    for (int round = 0; round < 20; ++round) {
        std::ranges::shuffle(calls, random);
        SlowestCalls kept;
        for (const CallInstance& call : calls) kept.add(3, call);
        CHECK(starts(kept.slowest(3)) == starts(sorted));
        REQUIRE(kept.first(3) != nullptr);
        CHECK(kept.first(3)->start_ns == 1000);
        CHECK(kept.slowest(2).empty());
        CHECK(kept.first(2) == nullptr);
        CHECK(kept.first(4) == nullptr);
    }
}

TEST_CASE("equally long calls go by start, then by thread") {
    SlowestCalls kept;
    for (uint32_t thread = 40; thread-- > 0;) kept.add(0, {.start_ns = 5, .duration_ns = 7, .thread = thread});
    const std::vector<CallInstance> slowest = kept.slowest(0);
    REQUIRE(slowest.size() == kSlowestKept);
    for (uint32_t i = 0; i < kSlowestKept; ++i) CHECK(slowest[i].thread == i);
    CHECK(kept.first(0)->thread == 0);
}

TEST_CASE("a first call that never ended has no duration to compare others with") {
    SlowestCalls kept;
    kept.add(0, {.start_ns = 10, .duration_ns = 1});
    kept.add(0, {.start_ns = 5, .duration_ns = 100, .ending = Ending::kOpen});
    CHECK(kept.first(0) == nullptr);
    CHECK(kept.slowest(0).front().ending == Ending::kOpen);
}

}  // namespace fnprof::model::test

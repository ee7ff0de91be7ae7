#include <doctest/doctest.h>

#include <algorithm>
#include <random>

#include "model/clock_map.h"

namespace fnprof::model::test {

using format::ClockKind;
using format::ClockPair;

TEST_CASE("ticks between two pairs become nanoseconds in proportion, and hit the pairs exactly") {
    const std::vector<ClockPair> pairs{{1000, 500000}, {3000, 501000}};
    const ClockMap clock(pairs, ClockKind::kTsc);
    CHECK(clock.calibrated());
    CHECK(clock.ns(1000) == 500000);
    CHECK(clock.ns(2000) == 500500);
    CHECK(clock.ns(2001) == 500500);
    CHECK(clock.ns(3000) == 501000);
}

TEST_CASE("outside the pairs the slope continues") {
    const std::vector<ClockPair> pairs{{1000, 500000}, {3000, 501000}};
    const ClockMap clock(pairs, ClockKind::kTsc);
    CHECK(clock.ns(5000) == 502000);
    CHECK(clock.ns(0) == 499500);
    CHECK(clock.duration_ns(4000) == 2000);
    CHECK(clock.duration_ps(24000) == 12000);
}

TEST_CASE("time before zero is zero") {
    const std::vector<ClockPair> pairs{{10000, 100}, {12000, 1100}};
    const ClockMap clock(pairs, ClockKind::kTsc);
    CHECK(clock.ns(0) == 0);
    CHECK(clock.ns(9700) == 0);
    CHECK(clock.ns(9900) == 50);
    CHECK(clock.ns(10000) == 100);
}

TEST_CASE("a clock that changes its pace is followed from pair to pair") {
    const std::vector<ClockPair> pairs{{3000, 2000}, {0, 0}, {1000, 1000}};
    const ClockMap clock(pairs, ClockKind::kTsc);
    CHECK(clock.ns(500) == 500);
    CHECK(clock.ns(2000) == 1500);
    CHECK(clock.ns(3000) == 2000);
}

TEST_CASE("a later tick never gets an earlier nanosecond") {
    std::mt19937_64 random(7);
    std::vector<ClockPair> pairs;
    ClockPair at{10000000000, 3000000000};
    for (int i = 0; i < 40; ++i) {
        pairs.push_back(at);
        const uint64_t ns = 1 + random() % 1000000;
        at.monotonic_ns += ns;
        at.ticks += ns * 2445 / 1000 + random() % 100;
    }
    const ClockMap clock(pairs, ClockKind::kTsc);
    std::vector<uint64_t> ticks;
    for (int i = 0; i < 20000; ++i) ticks.push_back(pairs.front().ticks - 1000000 + random() % (at.ticks - pairs.front().ticks + 2000000));
    for (const ClockPair& pair : pairs) ticks.insert(ticks.end(), {pair.ticks - 1, pair.ticks, pair.ticks + 1});
    std::ranges::sort(ticks);
    uint64_t last = 0;
    bool monotone = true;
    for (const uint64_t tick : ticks) {
        monotone &= clock.ns(tick) >= last;
        last = clock.ns(tick);
    }
    CHECK(monotone);
    for (const ClockPair& pair : pairs) CHECK(clock.ns(pair.ticks) == pair.monotonic_ns);
}

TEST_CASE("conversion is exact to the nanosecond after an hour without a pair") {
    const std::vector<ClockPair> pairs{{0, 0}, {2445000000, 1000000000}};
    const ClockMap clock(pairs, ClockKind::kTsc);
    const uint64_t ns = clock.ns(2445000000ull * 3600);
    CHECK(ns >= 3600000000000 - 1);
    CHECK(ns <= 3600000000000);
}

TEST_CASE("with one pair the frequency is unknown and said to be") {
    const std::vector<ClockPair> pairs{{1000, 777}};
    const ClockMap clock(pairs, ClockKind::kTsc);
    CHECK_FALSE(clock.calibrated());
    CHECK(clock.ns(1000) == 777);
    CHECK(clock.ns(1100) == 877);
    CHECK_FALSE(ClockMap({}, ClockKind::kTsc).calibrated());
    CHECK(ClockMap({}, ClockKind::kTsc).ns(5) == 5);
}

TEST_CASE("a clock that counts nanoseconds needs no pair") {
    const std::vector<ClockPair> pairs{{1000, 1000}};
    const ClockMap clock(pairs, ClockKind::kMonotonicNs);
    CHECK(clock.calibrated());
    CHECK(clock.ns(123456789) == 123456789);
}

TEST_CASE("pairs that step back or stand still are left out") {
    const std::vector<ClockPair> pairs{{0, 0}, {1000, 1000}, {1500, 900}, {1500, 1500}, {1600, 1500}, {2000, 2000}};
    const ClockMap clock(pairs, ClockKind::kTsc);
    CHECK(clock.calibrated());
    CHECK(clock.ns(1700) == 1700);
    CHECK(clock.ns(2000) == 2000);
}

}  // namespace fnprof::model::test

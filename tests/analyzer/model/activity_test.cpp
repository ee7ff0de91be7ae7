#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

#include "model/activity.h"

namespace fnprof::model::test {

namespace {

constexpr uint64_t kSlice = uint64_t{1} << Activity::kFirstBits;

uint64_t sum(const Activity& activity) { return std::accumulate(activity.busy_ns().begin(), activity.busy_ns().end(), uint64_t{0}); }

}  // namespace

TEST_CASE("time falls into the slices that it lies in") {
    Activity activity;
    CHECK(activity.empty());
    activity.add(10 * kSlice + 100, 12 * kSlice + 7);
    activity.add(12 * kSlice + 7, 12 * kSlice + 7);
    CHECK(activity.start_ns() == 10 * kSlice);
    CHECK(activity.slice_ns() == kSlice);
    CHECK(activity.busy_ns() == std::vector<uint64_t>{kSlice - 100, kSlice, 7});
}

TEST_CASE("slices become wider when there are too many, on the grid of their width") {
    Activity activity;
    activity.add(3 * kSlice, 3 * kSlice + 5);
    activity.add(258 * kSlice, 258 * kSlice + 9);
    CHECK(activity.busy_ns().size() == 256);
    activity.add(259 * kSlice, 259 * kSlice + 11);
    CHECK(activity.slice_ns() == 2 * kSlice);
    CHECK(activity.start_ns() == 2 * kSlice);
    CHECK(activity.busy_ns().size() == 129);
    CHECK(activity.busy_ns().front() == 5);
    CHECK(activity.busy_ns().back() == 20);
    activity.add(1'000'000'000'000, 1'000'000'000'001);
    CHECK(activity.busy_ns().size() <= Activity::kSlices);
    CHECK(sum(activity) == 26);
}

TEST_CASE("a strip does not depend on the order in which time is told") {
    std::mt19937_64 random(7);
    std::vector<std::pair<uint64_t, uint64_t>> times;
    uint64_t now = 1'000'000'000;
    for (int i = 0; i < 500; ++i) {
        now += random() % 400'000;
        times.emplace_back(now, now + random() % 90'000);
    }
    Activity forwards;
    for (const auto& [from, to] : times) forwards.add(from, to);
    for (int round = 0; round < 5; ++round) {
        std::ranges::shuffle(times, random);
        Activity shuffled;
        for (const auto& [from, to] : times) shuffled.add(from, to);
        CHECK(shuffled == forwards);
    }
}

TEST_CASE("a stretch of time has even shares of the slices that it cuts") {
    Activity activity;
    activity.add(4 * kSlice, 4 * kSlice + kSlice / 2);
    activity.add(5 * kSlice, 6 * kSlice);
    CHECK(activity.busy_ns(4 * kSlice, 6 * kSlice) == doctest::Approx(1.5 * kSlice));
    CHECK(activity.busy_ns(4 * kSlice, 4 * kSlice + kSlice / 2) == doctest::Approx(0.25 * kSlice));
    CHECK(activity.busy_ns(0, 4 * kSlice) == 0);
    CHECK(activity.busy_ns(7 * kSlice, 9 * kSlice) == 0);
}

}  // namespace fnprof::model::test

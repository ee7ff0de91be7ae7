#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>

#include "model/durations.h"
#include "model/histogram.h"
#include "model/histogram_pool.h"

namespace fnprof::model::test {

namespace {

// Times of all magnitudes.
uint64_t random_ns(std::mt19937_64& random) { return random() >> random() % 64; }

Histogram histogram_of(const std::vector<uint64_t>& times) {
    std::map<uint32_t, uint64_t> buckets;
    for (const uint64_t ns : times) ++buckets[bucket_of(ns)];
    std::vector<Histogram::Count> counts;
    for (const auto& [bucket, calls] : buckets) counts.push_back({bucket, calls});
    return Histogram(counts);
}

}  // namespace

TEST_CASE("buckets follow one another without a hole, up to the longest time that there is") {
    for (uint32_t bucket = 0; bucket + 1 < kBuckets; ++bucket) {
        CAPTURE(bucket);
        CHECK(bucket_low(bucket) + bucket_width(bucket) == bucket_low(bucket + 1));
        CHECK(bucket_of(bucket_low(bucket)) == bucket);
        CHECK(bucket_of(bucket_low(bucket) + bucket_width(bucket) - 1) == bucket);
    }
    CHECK(bucket_of(~uint64_t{0}) == kBuckets - 1);
}

TEST_CASE("a bucket's middle is within 0.8 % of every time in it") {
    std::mt19937_64 random(1);
    for (int i = 0; i < 100000; ++i) {
        const uint64_t ns = random_ns(random);
        const auto middle = static_cast<double>(bucket_middle(bucket_of(ns)));
        CHECK(std::abs(middle - static_cast<double>(ns)) <= static_cast<double>(ns) / 128);
    }
}

TEST_CASE("percentiles are those of the sorted times, nearest rank, within the buckets' error") {
    std::mt19937_64 random(2);
    for (size_t n : {size_t{1}, size_t{2}, size_t{3}, size_t{10}, size_t{999}, size_t{1000}, size_t{5003}}) {
        std::vector<uint64_t> times;
        for (size_t i = 0; i < n; ++i) times.push_back(random_ns(random));
        const Histogram histogram = histogram_of(times);
        std::ranges::sort(times);
        CHECK(histogram.calls() == n);
        for (const double share : {0.001, 0.5, 0.9, 0.99, 0.999, 1.0}) {
            const auto rank = static_cast<size_t>(std::ceil(share * static_cast<double>(n)));
            const uint64_t truth = times[std::max<size_t>(rank, 1) - 1];
            CAPTURE(share);
            CHECK(bucket_of(histogram.percentile(share)) == bucket_of(truth));
        }
    }
    CHECK(Histogram().percentile(0.5) == 0);
}

TEST_CASE("histograms add up in any order") {
    std::mt19937_64 random(3);
    std::vector<uint64_t> all;
    std::vector<Histogram> parts;
    for (size_t part = 0; part < 5; ++part) {
        std::vector<uint64_t> times;
        for (size_t i = 0; i < 200 * part; ++i) times.push_back(random_ns(random));
        all.insert(all.end(), times.begin(), times.end());
        parts.push_back(histogram_of(times));
    }
    for (int order = 0; order < 5; ++order) {
        std::ranges::shuffle(parts, random);
        Histogram sum;
        for (const Histogram& part : parts) sum.add(part);
        CHECK(sum == histogram_of(all));
    }
}

TEST_CASE("many histograms in one pool count as if each were alone, past any counter's size") {
    std::mt19937_64 random(4);
    HistogramPool pool;
    std::vector<std::map<uint32_t, uint64_t>> truth(40);
    for (size_t i = 0; i < truth.size(); ++i) pool.add_histogram();
    const auto count = [&](size_t histogram, uint64_t ns, uint64_t times) {
        for (uint64_t i = 0; i < times; ++i) pool.count(static_cast<uint32_t>(histogram), ns);
        truth[histogram][bucket_of(ns)] += times;
    };
    count(7, 1000, 150000);
    count(8, 5, 65536);
    for (int i = 0; i < 30000; ++i) count(random() % truth.size(), random_ns(random), 1);  // ranges grow, counters move
    count(7, 1000, 65000);
    count(7, 3, 1);
    count(7, ~uint64_t{0}, 2);
    pool.finish();
    for (size_t i = 0; i < truth.size(); ++i) {
        std::vector<Histogram::Count> counts;
        for (const auto& [bucket, calls] : truth[i]) counts.push_back({bucket, calls});
        CHECK(pool.histogram(static_cast<uint32_t>(i)) == Histogram(counts));
    }
    CHECK(truth[7][bucket_of(1000)] >= 215000);
}

TEST_CASE("the standard deviation of equal times is exactly 0, and long sums lose nothing") {
    Durations equal;
    for (int i = 0; i < 1000; ++i) equal.add(123456789);
    CHECK(equal.standard_deviation_ns() == 0);
    CHECK(equal.mean_ns() == 123456789);
    Durations two;
    two.add(3);
    two.add(7);
    CHECK(two.standard_deviation_ns() == 2);
    // A difference of 1 ns on top of 1,000 s, of which doubles would see nothing.
    Durations large;
    for (int i = 0; i < 50000; ++i) large.add(1'000'000'000'000 + static_cast<uint64_t>(i % 2) * 2);
    CHECK(large.standard_deviation_ns() == doctest::Approx(1));
    // Days, a billion times: the product no longer fits, the result is still right.
    Durations days;
    days.calls = 2'000'000'000;
    days.sum_ns = 3'000'000'000'000'000'000;
    days.sum_of_squares = static_cast<Squares>(1'000'000'000) * (Squares{1'000'000'000'000'000} * 1'000'000'000'000'000 * 4 + Squares{1'000'000'000'000'000} * 1'000'000'000'000'000);
    CHECK(days.standard_deviation_ns() > 0);
}

}  // namespace fnprof::model::test

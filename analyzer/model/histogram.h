// How long calls took, as counts in logarithmic buckets: any percentile within 1 %, whatever the range, in little memory; sums of
// integers, so histograms merge in any order.
//
// Buckets. 0 to 127 ns have a bucket each; from there on each octave [2^e, 2^(e+1)) has 64 of equal width. Taking a bucket's middle for
// a value in it is wrong by half a width at most: 1/128 of the value, 0.8 %. (The layout is that of HdrHistogram with 64 sub-buckets.)
#pragma once

#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

namespace fnprof::model {

constexpr uint32_t kSubBucketBits = 6;
constexpr uint32_t kSubBuckets = 1u << kSubBucketBits;  // in one octave
constexpr uint32_t kBuckets = (64 - kSubBucketBits + 1) * kSubBuckets;

constexpr uint32_t bucket_of(uint64_t ns) {
    if (ns < 2 * kSubBuckets) return static_cast<uint32_t>(ns);
    const uint32_t shift = static_cast<uint32_t>(std::bit_width(ns)) - 1 - kSubBucketBits;
    return (shift << kSubBucketBits) + static_cast<uint32_t>(ns >> shift);
}

// The smallest time in the bucket, and how many nanoseconds it is wide.
constexpr uint64_t bucket_low(uint32_t bucket) {
    if (bucket < 2 * kSubBuckets) return bucket;
    return static_cast<uint64_t>(kSubBuckets + bucket % kSubBuckets) << (bucket / kSubBuckets - 1);
}
constexpr uint64_t bucket_width(uint32_t bucket) {
    return bucket < 2 * kSubBuckets ? 1 : uint64_t{1} << (bucket / kSubBuckets - 1);
}
constexpr uint64_t bucket_middle(uint32_t bucket) { return bucket_low(bucket) + (bucket_width(bucket) - 1) / 2; }

class Histogram {
  public:
    struct Count {
        uint32_t bucket;
        uint64_t calls;
        bool operator==(const Count&) const = default;
    };

    Histogram() = default;
    // By rising bucket, none twice, none with 0 calls.
    explicit Histogram(std::vector<Count> counts) : counts_(std::move(counts)) {}

    void add(const Histogram& other);

    const std::vector<Count>& counts() const { return counts_; }
    bool empty() const { return counts_.empty(); }
    uint64_t calls() const;

    // The time that a share of the calls did not exceed (nearest rank), as the middle of its bucket. `share` is above 0, at most 1.
    // 0 without calls.
    uint64_t percentile(double share) const;

    bool operator==(const Histogram&) const = default;

  private:
    std::vector<Count> counts_;
};

}  // namespace fnprof::model

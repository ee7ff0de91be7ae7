#include "model/histogram_pool.h"

#include <algorithm>

namespace fnprof::model {

void HistogramPool::carry(const Counter& counter) { ++carries_[static_cast<size_t>(&counter - counters_.data())]; }

void HistogramPool::finish() {
    for (Counter*& waiting : queue_) {
        if (++*waiting == 0) carry(*waiting);
        waiting = counters_.data();
    }
    counters_[0] = 0;
}

// Counters move.
void HistogramPool::count_outside(uint32_t histogram, uint32_t bucket) {
    finish();
    const Range old = ranges_[histogram];
    const uint32_t octave = bucket & ~(kSubBuckets - 1);
    const uint32_t first = old.size == 0 ? octave : std::min(old.first, octave);
    const uint32_t end = std::max(old.first + old.size, octave + kSubBuckets);
    const Range grown{take(end - first), first, end - first};
    const auto from = counters_.begin() + static_cast<std::ptrdiff_t>(old.offset);
    const size_t moved = grown.offset + old.first - first;
    std::copy(from, from + old.size, counters_.begin() + static_cast<std::ptrdiff_t>(moved));
    if (old.size != 0) {
        for (size_t i = 0; i < old.size && !carries_.empty(); ++i) {
            const auto carried = carries_.extract(old.offset + i);
            if (carried) carries_[moved + i] = carried.mapped();
        }
        std::fill(from, from + old.size, 0);
        if (free_.size() <= old.size / kSubBuckets) free_.resize(old.size / kSubBuckets + 1);
        free_[old.size / kSubBuckets].push_back(old.offset);
    }
    ranges_[histogram] = grown;
    ++counters_[grown.offset + bucket - first];
    queue_.fill(counters_.data());
}

// Zeros.
size_t HistogramPool::take(uint32_t size) {
    const size_t octaves = size / kSubBuckets;
    if (octaves < free_.size() && !free_[octaves].empty()) {
        const size_t offset = free_[octaves].back();
        free_[octaves].pop_back();
        return offset;
    }
    const size_t offset = counters_.size();
    counters_.resize(offset + size);
    return offset;
}

Histogram HistogramPool::histogram(uint32_t number) const {
    const Range& range = ranges_[number];
    std::vector<Histogram::Count> counts;
    for (uint32_t i = 0; i < range.size; ++i) {
        const uint32_t bucket = range.first + i;
        uint64_t calls = counters_[range.offset + i];
        if (const auto carry = carries_.find(range.offset + i); carry != carries_.end()) calls += carry->second << 16;
        if (calls != 0) counts.push_back({bucket, calls});
    }
    return Histogram(std::move(counts));
}

}  // namespace fnprof::model

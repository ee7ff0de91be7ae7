#include "model/histogram.h"

#include <algorithm>
#include <cmath>

namespace fnprof::model {

void Histogram::add(const Histogram& other) {
    std::vector<Count> sum;
    sum.reserve(counts_.size() + other.counts_.size());
    auto mine = counts_.begin();
    auto theirs = other.counts_.begin();
    while (mine != counts_.end() || theirs != other.counts_.end()) {
        if (theirs == other.counts_.end() || (mine != counts_.end() && mine->bucket < theirs->bucket)) {
            sum.push_back(*mine++);
        } else if (mine == counts_.end() || theirs->bucket < mine->bucket) {
            sum.push_back(*theirs++);
        } else {
            sum.push_back({mine->bucket, mine->calls + theirs->calls});
            ++mine;
            ++theirs;
        }
    }
    counts_ = std::move(sum);
}

uint64_t Histogram::calls() const {
    uint64_t sum = 0;
    for (const Count& count : counts_) sum += count.calls;
    return sum;
}

uint64_t Histogram::percentile(double share) const {
    const uint64_t all = calls();
    const auto rank = std::max<uint64_t>(1, static_cast<uint64_t>(std::ceil(share * static_cast<double>(all))));
    uint64_t seen = 0;
    for (const Count& count : counts_) {
        seen += count.calls;
        if (seen >= rank) return bucket_middle(count.bucket);
    }
    return counts_.empty() ? 0 : bucket_middle(counts_.back().bucket);
}

}  // namespace fnprof::model

#include "model/activity.h"

#include <algorithm>

namespace fnprof::model {

void Activity::add(uint64_t from_ns, uint64_t to_ns) {
    if (to_ns <= from_ns) return;
    if (from_ns >> bits_ < first_ || (to_ns - 1) >> bits_ >= first_ + busy_ns_.size()) cover(from_ns, to_ns - 1);
    while (from_ns < to_ns) {
        const uint64_t slice = from_ns >> bits_;
        const uint64_t end_ns = std::min(to_ns, (slice + 1) << bits_);
        busy_ns_[slice - first_] += end_ns - from_ns;
        from_ns = end_ns;
    }
}

// Both moments have slices.
void Activity::cover(uint64_t from_ns, uint64_t last_ns) {
    if (busy_ns_.empty()) first_ = from_ns >> bits_;
    const auto first = [&] { return std::min(first_, from_ns >> bits_); };
    const auto end = [&] { return std::max(first_ + busy_ns_.size(), (last_ns >> bits_) + 1); };
    while (end() - first() > kSlices) widen();
    const uint64_t needed = end() - first();
    busy_ns_.insert(busy_ns_.begin(), first_ - first(), 0);
    first_ = first();
    busy_ns_.resize(needed);
}

void Activity::widen() {
    std::vector<uint64_t> wide;
    for (size_t i = 0; i < busy_ns_.size(); ++i) {
        const size_t slice = ((first_ + i) >> 1) - (first_ >> 1);
        wide.resize(slice + 1);
        wide[slice] += busy_ns_[i];
    }
    first_ >>= 1;
    ++bits_;
    busy_ns_ = std::move(wide);
}

double Activity::busy_ns(uint64_t from_ns, uint64_t to_ns) const {
    if (from_ns >= to_ns) return 0;
    double sum = 0;
    const uint64_t end = std::min(((to_ns - 1) >> bits_) + 1, first_ + busy_ns_.size());
    for (uint64_t slice = std::max(first_, from_ns >> bits_); slice < end; ++slice) {
        const uint64_t begin = slice << bits_;
        const uint64_t low = std::max(begin, from_ns), high = std::min(begin + slice_ns(), to_ns);
        if (low < high) sum += static_cast<double>(busy_ns_[slice - first_]) * static_cast<double>(high - low) / static_cast<double>(slice_ns());
    }
    return sum;
}

}  // namespace fnprof::model

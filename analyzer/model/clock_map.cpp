#include "model/clock_map.h"

#include <algorithm>

namespace fnprof::model {

namespace {

constexpr uint64_t kForever = ~uint64_t{0};

std::vector<format::ClockPair> usable(std::span<const format::ClockPair> pairs) {
    std::vector<format::ClockPair> sorted(pairs.begin(), pairs.end());
    std::ranges::sort(sorted, [](const format::ClockPair& a, const format::ClockPair& b) {
        return a.ticks != b.ticks ? a.ticks < b.ticks : a.monotonic_ns < b.monotonic_ns;
    });
    std::vector<format::ClockPair> kept;
    for (const format::ClockPair& pair : sorted) {
        if (kept.empty() || (pair.ticks > kept.back().ticks && pair.monotonic_ns > kept.back().monotonic_ns)) kept.push_back(pair);
    }
    return kept;
}

}  // namespace

uint64_t ClockMap::slope_between(const format::ClockPair& from, const format::ClockPair& to) {
    __extension__ using Wide = unsigned __int128;
    const Wide slope = (static_cast<Wide>(to.monotonic_ns - from.monotonic_ns) << kFractionBits) / (to.ticks - from.ticks);
    return slope > kForever ? kForever : static_cast<uint64_t>(slope);
}

ClockMap::ClockMap()
    : segments_{{0, 0, kForever, uint64_t{1} << kFractionBits}}, slope_(uint64_t{1} << kFractionBits), calibrated_(true) {}

ClockMap::ClockMap(std::span<const format::ClockPair> pairs, format::ClockKind kind) : ClockMap() {
    const std::vector<format::ClockPair> kept = usable(pairs);
    const bool counts_ns = kind == format::ClockKind::kMonotonicNs;
    calibrated_ = counts_ns || kept.size() >= 2;
    if (counts_ns || kept.empty()) return;
    if (kept.size() >= 2) slope_ = slope_between(kept.front(), kept.back());
    segments_.clear();
    add_past(kept.front());
    for (size_t i = 0; i + 1 < kept.size(); ++i) {
        segments_.push_back({kept[i].ticks, kept[i].monotonic_ns, kept[i + 1].ticks - kept[i].ticks,
                             slope_between(kept[i], kept[i + 1])});
    }
    segments_.push_back({kept.back().ticks, kept.back().monotonic_ns, kForever - kept.back().ticks, slope_});
}

// The times before the first pair; where the slope would lead below 0 the clock stands at 0.
void ClockMap::add_past(const format::ClockPair& first) {
    const uint64_t before_ns = scaled(first.ticks, slope_);
    if (before_ns <= first.monotonic_ns) {
        segments_.push_back({0, first.monotonic_ns - before_ns, first.ticks, slope_});
        return;
    }
    // The last tick for which the distance to the first pair is at least its nanoseconds.
    __extension__ using Wide = unsigned __int128;
    const uint64_t distance = static_cast<uint64_t>((static_cast<Wide>(first.monotonic_ns) << kFractionBits) / slope_);
    const uint64_t zero = first.ticks - std::min(distance, first.ticks);
    segments_.push_back({0, 0, zero, 0});
    segments_.push_back({zero, 0, first.ticks - zero, slope_});
}

const ClockMap::Segment& ClockMap::segment(uint64_t ticks) const {
    const auto after = std::ranges::upper_bound(segments_, ticks, {}, &Segment::start_ticks);
    return *std::prev(after);
}

}  // namespace fnprof::model

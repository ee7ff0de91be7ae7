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
    for (size_t i = 0; i + 1 < kept.size(); ++i) {
        segments_.push_back({kept[i].ticks, kept[i].monotonic_ns, kept[i + 1].ticks - kept[i].ticks,
                             slope_between(kept[i], kept[i + 1])});
    }
    segments_.push_back({kept.back().ticks, kept.back().monotonic_ns, kForever - kept.back().ticks, slope_});
}

uint64_t ClockMap::search(uint64_t ticks) const {
    const auto after = std::ranges::upper_bound(segments_, ticks, {}, &Segment::start_ticks);
    if (after == segments_.begin()) {
        const Segment& first = segments_.front();
        const uint64_t before = scaled(first.start_ticks - ticks, slope_);
        return before < first.start_ns ? first.start_ns - before : 0;
    }
    recent_ = static_cast<size_t>(after - segments_.begin()) - 1;
    const Segment& segment = segments_[recent_];
    return segment.start_ns + scaled(ticks - segment.start_ticks, segment.slope);
}

}  // namespace fnprof::model

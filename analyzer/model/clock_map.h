// Clock ticks -> integer nanoseconds of the host's monotonic clock, piecewise linear between the calibration pairs.
//
// Monotone: a later tick never gets an earlier nanosecond, across pairs too. Exact integers: the same tick always gets the same
// nanosecond, so differences of converted times add up. Outside the pairs the slope over all of them continues.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "format/layout.h"

namespace fnprof::model {

class ClockMap {
  public:
    // One tick is one nanosecond, counted from zero.
    ClockMap();

    // Pairs in any order. Pairs that contradict earlier ones (time standing still or stepping back) are left out. With
    // fewer than two usable pairs of a clock that does not count nanoseconds its frequency is unknown: one tick then
    // stands for one nanosecond and calibrated() is false.
    ClockMap(std::span<const format::ClockPair> pairs, format::ClockKind kind);

    uint64_t ns(uint64_t ticks) const {
        const Segment& segment = segments_[recent_];
        if (ticks - segment.start_ticks < segment.length_ticks) [[likely]] {
            return segment.start_ns + scaled(ticks - segment.start_ticks, segment.slope);
        }
        return search(ticks);
    }

    bool calibrated() const { return calibrated_; }

    // A duration in thousandths of ticks as picoseconds, by the slope over all pairs.
    uint64_t duration_ps(uint64_t milliticks) const { return scaled(milliticks, slope_); }

    // A duration in ticks as nanoseconds, by the slope over all pairs.
    uint64_t duration_ns(uint64_t ticks) const { return scaled(ticks, slope_); }

  private:
    // Slopes are nanoseconds a tick with this many fraction bits: exact to the nanosecond over 2^52 ticks (weeks), for
    // clocks down to 250 kHz.
    static constexpr unsigned kFractionBits = 52;

    struct Segment {
        uint64_t start_ticks;
        uint64_t start_ns;
        uint64_t length_ticks;
        uint64_t slope;
    };

    static uint64_t scaled(uint64_t ticks, uint64_t slope) {
        __extension__ using Wide = unsigned __int128;
        return static_cast<uint64_t>(static_cast<Wide>(ticks) * slope >> kFractionBits);
    }
    static uint64_t slope_between(const format::ClockPair& from, const format::ClockPair& to);
    uint64_t search(uint64_t ticks) const;

    std::vector<Segment> segments_;  // ascending; never empty
    mutable size_t recent_ = 0;      // segment of the last look-up: times come in runs
    uint64_t slope_;
    bool calibrated_;
};

}  // namespace fnprof::model

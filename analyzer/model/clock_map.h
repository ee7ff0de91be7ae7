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

    // A stretch of time at one pace. Loops over many times keep the last one at hand: times come in runs.
    struct Segment {
        uint64_t start_ticks = 0;
        uint64_t start_ns = 0;
        uint64_t length_ticks = 0;
        uint64_t slope = 0;

        bool holds(uint64_t ticks) const { return ticks - start_ticks < length_ticks; }
        uint64_t ns(uint64_t ticks) const { return start_ns + scaled(ticks - start_ticks, slope); }
    };
    const Segment& segment(uint64_t ticks) const;

    uint64_t ns(uint64_t ticks) const { return segment(ticks).ns(ticks); }

    bool calibrated() const { return calibrated_; }

    // A duration in thousandths of ticks as picoseconds, by the slope over all pairs.
    uint64_t duration_ps(uint64_t milliticks) const { return scaled(milliticks, slope_); }

    // A duration in ticks as nanoseconds, by the slope over all pairs.
    uint64_t duration_ns(uint64_t ticks) const { return scaled(ticks, slope_); }

  private:
    // Slopes are nanoseconds a tick with this many fraction bits: exact to the nanosecond over 2^52 ticks (weeks), for
    // clocks down to 250 kHz.
    static constexpr unsigned kFractionBits = 52;

    static uint64_t scaled(uint64_t ticks, uint64_t slope) {
        __extension__ using Wide = unsigned __int128;
        return static_cast<uint64_t>(static_cast<Wide>(ticks) * slope >> kFractionBits);
    }
    static uint64_t slope_between(const format::ClockPair& from, const format::ClockPair& to);
    void add_past(const format::ClockPair& first);

    std::vector<Segment> segments_;  // all times from 0 on, without gaps
    uint64_t slope_;
    bool calibrated_;
};

}  // namespace fnprof::model

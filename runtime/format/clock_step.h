// How the clock moves: found from the records themselves, kept in the encoder's workspace from block to block. A wrong answer
// costs bytes, never exactness: times that do not fit are coded as exceptions.
//
// Some time stamp counters advance by 2, 4 or 16 ticks at once; others follow a slower reference clock and advance by, say,
// 24.45 ticks, which reads as 24 or 25. Steps cost the trace far less than ticks.
#pragma once

#include <cstdint>

#include "format/layout.h"

namespace fnprof::format {

struct ClockStep {
    static constexpr uint32_t kSampleSize = 1024;

    uint64_t step;     // ticks per step, 32.32 fixed point; 0 before the first block
    uint64_t inverse;  // steps per tick, 0.32 fixed point
    uint32_t weight;   // fractional steps: number of steps over which `step` was averaged
    bool doubtful;     // many times of the last block did not fit
    uint32_t sample[kSampleSize];
};

constexpr void clock_step_set(ClockStep& clock, uint64_t step, uint32_t weight) {
    clock.step = step;
    clock.inverse = ~uint64_t{0} / step;
    clock.weight = weight;
    clock.doubtful = false;
}

constexpr uint32_t greatest_common_divisor(uint32_t a, uint32_t b) {
    while (b != 0) {
        const uint32_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

// Whole steps in `ticks`, to the nearest.
constexpr uint64_t steps_in(uint64_t ticks, uint64_t inverse) { return (ticks * inverse + (uint64_t{1} << 31)) >> 32; }

// Average step of the sampled differences, taking longer and longer ones into account as the estimate gets better; 0 when they are
// not multiples of one step.
inline uint64_t fractional_step(const uint32_t* sample, uint32_t count, uint32_t least, uint64_t& total_steps) {
    constexpr uint32_t kLeastStep = 8;         // closer steps cannot be told from a clock without steps
    constexpr uint32_t kLongest = 1u << 20;
    if (least < kLeastStep) return 0;
    uint64_t step = (uint64_t{least} << 32) + (uint64_t{1} << 31);
    for (uint64_t limit = least + 1; limit < kLongest; limit *= 3) {
        const uint64_t inverse = ~uint64_t{0} / step;
        uint64_t ticks = 0;
        uint64_t steps = 0;
        for (uint32_t i = 0; i < count; ++i) {
            if (sample[i] > limit) continue;
            ticks += sample[i];
            steps += steps_in(sample[i], inverse);
        }
        step = (ticks << 32) / steps;  // steps > 0: the least difference is among them
        total_steps = steps;
    }
    const uint64_t inverse = ~uint64_t{0} / step;
    uint32_t misfits = 0;
    uint32_t longer = 0;
    for (uint32_t i = 0; i < count; ++i) {
        const uint64_t steps = steps_in(sample[i], inverse);
        const uint64_t error = sample[i] - (steps * step >> 32);
        misfits += error + 1 > 2;
        longer += steps > 1;
    }
    return misfits * 16 <= count && longer * 16 >= count ? step : 0;
}

// Looks at the first committed slots of a block, while the step is not known or in doubt.
inline void clock_step_sample(ClockStep& clock, const Slot* slots, uint32_t used, uint64_t stale_ticks) {
    constexpr uint32_t kFewest = 64;
    if (clock.step != 0 && !clock.doubtful) return;
    uint32_t count = 0;
    uint32_t divisor = 0;
    uint32_t least = ~uint32_t{0};
    uint64_t last = 0;
    for (uint32_t i = 0; i < used && count < ClockStep::kSampleSize; ++i) {
        const uint64_t ticks = ticks_of(__atomic_load_n(&slots[i].time_word, __ATOMIC_RELAXED));
        const uint64_t difference = ticks - last;
        if (ticks <= stale_ticks) continue;
        const bool usable = last != 0 && difference != 0 && difference < uint64_t{1} << 20;
        last = ticks;
        if (!usable) continue;
        const auto short_difference = static_cast<uint32_t>(difference);
        clock.sample[count++] = short_difference;
        divisor = greatest_common_divisor(divisor, short_difference);
        if (short_difference < least) least = short_difference;
    }
    if (count < kFewest) {
        if (clock.step == 0) clock_step_set(clock, uint64_t{1} << 32, 0);
        clock.doubtful = true;
        return;
    }
    uint64_t steps = 0;
    uint64_t step = uint64_t{divisor} << 32;
    if (divisor == 1) {
        const uint64_t fractional = fractional_step(clock.sample, count, least, steps);
        if (fractional != 0) step = fractional;
    }
    clock_step_set(clock, step, static_cast<uint32_t>(steps));
}

// Averages a fractional step over the time from `first` to `last`, when that is longer than what it was averaged over before. Called
// after each chunk of a block: one step of refinement may only be several times longer than the one before.
inline void clock_step_refine(ClockStep& clock, uint64_t first, uint64_t last) {
    if ((clock.step & 0xffffffff) == 0 || last - first >= uint64_t{1} << 28) return;
    // The error of `step` is below 1 / weight ticks: over so many steps it stays below a quarter of a step.
    const uint64_t steps = steps_in(last - first, clock.inverse);
    const uint64_t trusted = uint64_t{clock.weight} * (clock.step >> 34);
    if (steps > clock.weight && steps < trusted) clock_step_set(clock, ((last - first) << 32) / steps, static_cast<uint32_t>(steps));
}

}  // namespace fnprof::format

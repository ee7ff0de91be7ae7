// Whether a difference of two means is more than chance: 95 % intervals by Student's t, without the assumption that both sides scatter alike
// (Welch), as long as both sides have something to scatter.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

namespace fnprof::compare {

constexpr double kConfidence = 0.95;

struct Sample {
    uint64_t count = 0;
    double mean = 0;
    double variance = 0;  // of what was drawn from: divided by one less than their number; 0 for a single one
};

Sample sample_of(std::span<const double> values);

struct Interval {
    double change = 0;      // b - a
    double half_width = 0;  // the interval is change -+ half_width
    double freedom = 0;     // degrees of freedom
    double low() const { return change - half_width; }
    double high() const { return change + half_width; }
    bool contains_zero() const { return low() <= 0 && high() >= 0; }
};

// Welch's interval. With a single value on one side the other side's variance stands for both. Nothing: a single value on each side, or
// none on one.
std::optional<Interval> difference(const Sample& a, const Sample& b);

}  // namespace fnprof::compare

// Times in proportion to calls.
#pragma once

#include <cmath>

#include "model/profile.h"

namespace fnprof::compare {

// value x numerator / denominator, rounded to the nearest, halves away from zero. Only for denominators above 0.
inline model::Picoseconds scaled(model::Picoseconds value, model::Picoseconds numerator, model::Picoseconds denominator) {
    model::Picoseconds product = 0;
    if (__builtin_mul_overflow(value, numerator, &product)) {
        // Only damaged traces claim so much; parts are residuals, so sums stay exact.
        const long double result = static_cast<long double>(value) * (static_cast<long double>(numerator) / static_cast<long double>(denominator));
        constexpr long double kMost = 1e30L;
        return static_cast<model::Picoseconds>(std::fmin(std::fmax(result, -kMost), kMost));
    }
    const model::Picoseconds half = denominator / 2;
    return (product + (product < 0 ? -half : half)) / denominator;
}

inline model::Picoseconds self_ps(const model::Cost& cost, bool raw) {
    return raw ? model::Picoseconds{cost.self_ns} * 1000 : cost.self_net_ps();
}
inline model::Picoseconds cumulative_ps(const model::Cost& cost, bool raw) {
    return raw ? model::Picoseconds{cost.cumulative_ns} * 1000 : cost.cumulative_net_ps();
}

}  // namespace fnprof::compare

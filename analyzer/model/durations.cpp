#include "model/durations.h"

#include <cmath>

namespace fnprof::model {

double Durations::standard_deviation_ns() const {
    // n x sum of squares - square of the sum, exactly as long as it fits: a difference of two large numbers.
    const auto n = static_cast<Squares>(calls);
    const auto sum = static_cast<Squares>(sum_ns);
    Squares product = 0;
    if (!__builtin_mul_overflow(n, sum_of_squares, &product)) return std::sqrt(static_cast<double>(product - sum * sum)) / static_cast<double>(calls);
    const double mean = mean_ns();
    return std::sqrt(std::max(0.0, static_cast<double>(sum_of_squares) / static_cast<double>(calls) - mean * mean));
}

}  // namespace fnprof::model

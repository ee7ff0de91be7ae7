#include "compare/interval.h"

#include <boost/math/distributions/students_t.hpp>

#include <algorithm>
#include <cmath>

namespace fnprof::compare {

namespace {

// As far as tables go; beyond it the normal distribution is as good, and the quantile's search stays short.
constexpr double kMostFreedom = 1e6;

double quantile(double freedom) {
    const boost::math::students_t distribution(std::min(freedom, kMostFreedom));
    return boost::math::quantile(distribution, (1 + kConfidence) / 2);
}

}  // namespace

Sample sample_of(std::span<const double> values) {
    Sample sample{values.size(), 0, 0};
    if (values.empty()) return sample;
    for (const double value : values) sample.mean += value / static_cast<double>(values.size());
    if (values.size() == 1) return sample;
    for (const double value : values) sample.variance += (value - sample.mean) * (value - sample.mean) / static_cast<double>(values.size() - 1);
    return sample;
}

std::optional<Interval> difference(const Sample& a, const Sample& b) {
    if (a.count == 0 || b.count == 0 || (a.count == 1 && b.count == 1)) return std::nullopt;
    const auto na = static_cast<double>(a.count), nb = static_cast<double>(b.count);
    const double of_a = (a.count == 1 ? b : a).variance / na, of_b = (b.count == 1 ? a : b).variance / nb;
    Interval interval{b.mean - a.mean, 0, na + nb - 2};
    if (of_a + of_b == 0) return interval;
    if (a.count > 1 && b.count > 1)
        interval.freedom = (of_a + of_b) * (of_a + of_b) / (of_a * of_a / (na - 1) + of_b * of_b / (nb - 1));
    interval.half_width = quantile(interval.freedom) * std::sqrt(of_a + of_b);
    return interval;
}

}  // namespace fnprof::compare

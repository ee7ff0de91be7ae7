#include <doctest/doctest.h>

#include <array>

#include "compare/interval.h"

namespace fnprof::compare::test {

TEST_CASE("Student's sleep data give the interval that R's t.test prints for them") {
    // Student, The probable error of a mean (1908): extra hours of sleep by two drugs.
    constexpr std::array<double, 10> kFirst{0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0};
    constexpr std::array<double, 10> kSecond{1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4};
    const auto interval = difference(sample_of(kFirst), sample_of(kSecond));
    REQUIRE(interval);
    CHECK(interval->change == doctest::Approx(1.58).epsilon(1e-12));
    CHECK(interval->freedom == doctest::Approx(17.776).epsilon(1e-4));
    CHECK(interval->low() == doctest::Approx(-0.2054832).epsilon(1e-6));
    CHECK(interval->high() == doctest::Approx(3.3654832).epsilon(1e-7));
    CHECK(interval->contains_zero());
}

TEST_CASE("a single value on one side varies as the other side does") {
    constexpr std::array<double, 3> kThree{10, 12, 14};  // variance 4
    constexpr std::array<double, 1> kOne{20};
    const auto interval = difference(sample_of(kThree), sample_of(kOne));
    REQUIRE(interval);
    CHECK(interval->freedom == 2);
    CHECK(interval->half_width == doctest::Approx(4.302652730 * 2.309401077).epsilon(1e-8));  // t(2) x sqrt(4/3 + 4)
    const auto other_way = difference(sample_of(kOne), sample_of(kThree));
    REQUIRE(other_way);
    CHECK(other_way->half_width == doctest::Approx(interval->half_width));
    CHECK(other_way->change == -8);
}

TEST_CASE("two single values, or none, have no interval; equal values have one of no width") {
    CHECK_FALSE(difference({1, 5, 0}, {1, 6, 0}));
    CHECK_FALSE(difference({0, 0, 0}, {7, 6, 1}));
    const auto exact = difference({3, 5, 0}, {3, 6, 0});
    REQUIRE(exact);
    CHECK(exact->half_width == 0);
    CHECK_FALSE(exact->contains_zero());
    CHECK(difference({3, 5, 0}, {3, 5, 0})->contains_zero());
}

TEST_CASE("the interval of samples of millions is that of the normal distribution") {
    const auto interval = difference({50'000'000, 10, 4}, {50'000'000, 10, 4});
    REQUIRE(interval);
    CHECK(interval->half_width == doctest::Approx(1.959964 * 0.0004).epsilon(1e-5));
}

}  // namespace fnprof::compare::test

// A call tree whose counts are known by hand: direct and indirect recursion, and 28 calls that end by an exception.
// It has the shape of the program that CPython's own profiler is tested with, so that its figures can be set side by side.
#include <cstdint>
#include <stdexcept>

static volatile uint64_t ticks;

struct Nothing {
    void attribute() const;
};

__attribute__((noinline)) void Nothing::attribute() const {
    ticks = ticks + 1;
    throw std::out_of_range("attribute");
}

__attribute__((noinline)) bool has_attribute() {
    try {
        Nothing().attribute();
        return true;
    } catch (const std::out_of_range&) {
        return false;
    }
}

__attribute__((noinline)) uint64_t multiply(uint64_t a, uint64_t b) {
    ticks = ticks + 1;
    return a * b;
}

__attribute__((noinline)) uint64_t factorial(uint64_t n) {
    if (n == 0) {
        ticks = ticks + 11;
        return 1;
    }
    ticks = ticks + n;
    return multiply(n, factorial(n - 1));
}

__attribute__((noinline)) void look_twice() {
    ticks = ticks + 2;
    for (int i = 0; i < 2; ++i) {
        try {
            Nothing().attribute();
        } catch (const std::out_of_range&) {
            ticks = ticks + 3;
        }
    }
}

__attribute__((noinline)) void first_part() {
    ticks = ticks + 10;
    has_attribute();
    ticks = ticks + 19;
}

__attribute__((noinline)) void second_part() {
    ticks = ticks + 11;
    has_attribute();
    ticks = ticks + 13;
    look_twice();
    ticks = ticks + 15;
}

__attribute__((noinline)) void second_part_indirectly() {
    second_part();
    factorial(3);
}

__attribute__((noinline)) void part() {
    ticks = ticks + 1;
    first_part();
    ticks = ticks + 2;
    first_part();
    ticks = ticks + 6;
    second_part();
    ticks = ticks + 3;
    second_part();
    ticks = ticks + 2;
    second_part();
    ticks = ticks + 5;
    second_part_indirectly();
    ticks = ticks + 1;
}

__attribute__((noinline)) void whole() {
    ticks = ticks + 99;
    part();
    part();
    ticks = ticks + 171;
    factorial(14);
}

int main() {
    whole();
    return ticks == 1000 ? 0 : 1;
}

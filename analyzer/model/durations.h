// Durations of calls: what is kept of a set of them.
//
// A call's duration is its net time from enter to exit: without gaps, without the time that its stack was suspended, without the
// hooks' own cost (its own and that of the calls inside), not below 0. Calls that returned have one, and calls that an exception,
// longjmp or the end of their thread left; calls still open at the end, or found dead later, have none.
#pragma once

#include <algorithm>
#include <cstdint>

namespace fnprof::model {

__extension__ using Squares = unsigned __int128;  // ns^2: 2^64 calls of 2^32 ns fit

struct Durations {
    uint64_t calls = 0;
    uint64_t sum_ns = 0;
    Squares sum_of_squares = 0;
    uint64_t least_ns = ~uint64_t{0};  // without calls: greater than any
    uint64_t most_ns = 0;

    void add(uint64_t ns) {
        ++calls;
        sum_ns += ns;
        sum_of_squares += static_cast<Squares>(ns) * ns;
        least_ns = std::min(least_ns, ns);
        most_ns = std::max(most_ns, ns);
    }
    void add(const Durations& other) {
        calls += other.calls;
        sum_ns += other.sum_ns;
        sum_of_squares += other.sum_of_squares;
        least_ns = std::min(least_ns, other.least_ns);
        most_ns = std::max(most_ns, other.most_ns);
    }

    // Only for calls > 0.
    double mean_ns() const { return static_cast<double>(sum_ns) / static_cast<double>(calls); }
    // Of the calls themselves (divided by their number, not by one less): they are all there is, no sample.
    double standard_deviation_ns() const;

    bool operator==(const Durations&) const = default;
};

}  // namespace fnprof::model

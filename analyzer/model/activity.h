// When a thread was inside instrumented functions: the time in each slice of a fixed grid, at most kSlices of them. A slice is a power
// of two of nanoseconds wide and begins at a multiple of that; where the thread's life needs more slices than there are, pairs of them
// become one. So a strip is a function of the times alone, whatever their order, and threads with slices of one width have the same grid.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace fnprof::model {

class Activity {
  public:
    static constexpr size_t kSlices = 256;
    static constexpr unsigned kFirstBits = 12;  // 4.1 us: a short thread's strip is short

    // [from, to) of the monotonic clock.
    void add(uint64_t from_ns, uint64_t to_ns);

    bool empty() const { return busy_ns_.empty(); }
    uint64_t start_ns() const { return first_ << bits_; }  // of the first slice
    uint64_t slice_ns() const { return uint64_t{1} << bits_; }
    const std::vector<uint64_t>& busy_ns() const { return busy_ns_; }  // by slice

    // The time in [from, to), with even shares of slices that lie across its ends.
    double busy_ns(uint64_t from_ns, uint64_t to_ns) const;

    bool operator==(const Activity&) const = default;

  private:
    void cover(uint64_t from_ns, uint64_t last_ns);
    void widen();

    unsigned bits_ = kFirstBits;
    uint64_t first_ = 0;  // the first slice's number since 0
    std::vector<uint64_t> busy_ns_;
};

}  // namespace fnprof::model

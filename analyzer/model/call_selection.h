// Which of a process's calls and of its time are taken, where not all of them are: decided call by call while the records are played.
//
//   in time    Of each call the time inside [from, until) counts. A call that began before is like one that a forked child inherits: it is
//              on the paths and has its time, but was not made there; one that is active at the end is open. So the calls of
//              adjoining ranges add up to all calls, and their times to all of the time.
//   by thread  A call belongs to the thread that made it, wherever its fiber goes on. So threads, too, add up to the whole.
//   by size    Calls that are too deep or too short (as measured, so that a call is never shorter than one that it made) are folded: they
//              are a part of their caller, and so are their time and the cost of their hooks. A short call without a caller is left
//              out. What is not known to have ended, or began before the range, is never too short.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>


namespace fnprof::model {

struct CallSelection {
    uint64_t from_ns = 0;  // monotonic clock
    uint64_t until_ns = ~uint64_t{0};
    std::function<bool(uint32_t serial)> takes_thread = {};  // empty: takes all
    uint32_t most_depth = std::numeric_limits<uint32_t>::max();  // roots have depth 1
    uint64_t least_ns = 0;
    bool activity = false;  // see activity.h

    bool takes_moment(uint64_t ns) const { return ns >= from_ns && ns < until_ns; }
};

}  // namespace fnprof::model

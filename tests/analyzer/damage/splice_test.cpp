// Frames that are sound by themselves, in the wrong place.
#include <doctest/doctest.h>

#include <algorithm>

#include "damaged_reading.h"
#include "support/books.h"

using namespace fnprof;
using namespace fnprof::testing;

namespace {

using Bytes = std::vector<uint8_t>;

std::vector<Bytes> frames_of(const Sample& sample) {
    std::vector<Bytes> frames;
    for (size_t i = 0; i < sample.frames.size(); ++i) {
        const uint64_t end = i + 1 < sample.frames.size() ? sample.frames[i + 1] : sample.trace.size();
        frames.emplace_back(sample.trace.begin() + static_cast<ptrdiff_t>(sample.frames[i]), sample.trace.begin() + static_cast<ptrdiff_t>(end));
    }
    return frames;
}

Bytes joined(const std::vector<Bytes>& frames) {
    Bytes bytes;
    for (const Bytes& frame : frames) bytes.insert(bytes.end(), frame.begin(), frame.end());
    return bytes;
}

// What each case does with the frames of each sample; `check` wants what was made of them.
template <class Change>
void for_each_frame(Change change) {
    for (const Sample& sample : samples()) {
        const std::string whole = figures_of(profile_of(sample.trace, sample.live).value());
        const std::vector<Bytes> frames = frames_of(sample);
        for (size_t i = 0; i < frames.size(); ++i) {
            const bool late = std::ranges::find(sample.late_areas, sample.frames[i]) != sample.late_areas.end();
            CAPTURE(sample.name);
            CAPTURE(i);
            change(frames, i, late, [&](const std::vector<Bytes>& changed, bool may_be_silent = false) {
                const std::optional<model::Profile> read = profile_of(joined(changed), sample.live);
                REQUIRE(complaint_of_books(read) == "");
                if (!may_be_silent) REQUIRE(complaint(read, whole) == "");
            });
        }
    }
}

}  // namespace

TEST_CASE("a frame that is taken out is missed") {
    for_each_frame([](std::vector<Bytes> frames, size_t i, bool late, auto check) {
        // Of a thread's last late area nothing else speaks.
        frames.erase(frames.begin() + static_cast<ptrdiff_t>(i));
        check(frames, late);
    });
}

TEST_CASE("a frame that is there twice is read once, or told") {
    for_each_frame([](const std::vector<Bytes>& frames, size_t i, bool, auto check) {
        for (size_t at = i; at <= frames.size(); ++at) {
            std::vector<Bytes> changed = frames;
            changed.insert(changed.begin() + static_cast<ptrdiff_t>(at), frames[i]);
            check(changed);
        }
    });
}

TEST_CASE("frames in another order are read in the right one, or told") {
    for_each_frame([](const std::vector<Bytes>& frames, size_t i, bool, auto check) {
        for (size_t k = i + 1; k < frames.size(); ++k) {
            std::vector<Bytes> changed = frames;
            std::swap(changed[i], changed[k]);
            CAPTURE(k);
            check(changed);
        }
    });
}

TEST_CASE("a frame of another trace is told, put in or put in the place of another") {
    const std::vector<Bytes> others = frames_of(later_run());
    for_each_frame([&](const std::vector<Bytes>& frames, size_t i, bool late, auto check) {
        for (size_t other = 0; other < others.size(); ++other) {
            CAPTURE(other);
            std::vector<Bytes> changed = frames;
            changed[i] = others[other];
            // A killed process's trace has no end: that blocks are from a later time shows in nothing.
            const bool ended = frames.size() > 3;
            check(changed, late || !ended);
            changed = frames;
            changed.insert(changed.begin() + static_cast<ptrdiff_t>(i), others[other]);
            check(changed, !ended);
        }
    });
}

TEST_CASE("of two traces in one file the first is read, and the other is told") {
    const Sample& other = later_run();
    for (const Sample& sample : samples()) {
        CAPTURE(sample.name);
        Bytes both = sample.trace;
        both.insert(both.end(), other.trace.begin(), other.trace.end());
        const model::Profile read = profile_of(both, sample.live).value();
        CHECK(imbalance_of(read) == "");
        CHECK(figures_of(read) == figures_of(profile_of(sample.trace, sample.live).value()));
        CHECK_FALSE(read.integrity.complete);
        CHECK(std::ranges::any_of(read.integrity.remarks, [](const std::string& remark) { return remark.find("another process") != std::string::npos; }));
    }
}

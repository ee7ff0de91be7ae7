#include <doctest/doctest.h>

#include <algorithm>

#include "damaged_reading.h"
#include "format/layout.h"
#include "support/books.h"

using namespace fnprof;
using namespace fnprof::testing;

namespace {

std::vector<uint8_t> first(const std::vector<uint8_t>& bytes, size_t size) {
    return {bytes.begin(), bytes.begin() + static_cast<ptrdiff_t>(size)};
}

size_t seek_table_bytes(const Sample& sample) {
    const auto first_late = std::ranges::find(sample.frames, sample.late_areas.front());
    return static_cast<size_t>(*first_late - *std::prev(first_late));
}

}  // namespace

TEST_CASE("wherever a trace is cut, what is missing is told and the books balance") {
    for (const Sample& sample : samples()) {
        CAPTURE(sample.name);
        const std::string whole = figures_of(profile_of(sample.trace, sample.live).value());
        for (size_t size = 0; size < sample.trace.size(); ++size) {
            CAPTURE(size);
            const std::optional<model::Profile> cut = profile_of(first(sample.trace, size), sample.live);
            REQUIRE(complaint_of_books(cut) == "");
            // Late areas come after the end, and nothing says how many: a cut between frames there looks like a trace that has none.
            const bool after_the_end = !sample.late_areas.empty() && size + seek_table_bytes(sample) >= sample.late_areas.front() &&
                                       std::ranges::find(sample.frames, size) != sample.frames.end();
            if (!after_the_end) REQUIRE(complaint(cut, whole) == "");
        }
    }
}

TEST_CASE("wherever the live file is cut, what is missing is told and the books balance") {
    for (const Sample& sample : samples()) {
        if (sample.live.empty()) continue;
        const std::string whole = figures_of(profile_of(sample.trace, sample.live).value());
        const auto check = [&](size_t size) {
            CAPTURE(size);
            REQUIRE(complaint(profile_of(sample.trace, first(sample.live, size)), whole) == "");
        };
        // Every byte of headers, states and the first slots, and some of each page.
        for (size_t size = 0; size < sample.live.size(); ++size) {
            if (size % format::kPageBytes < 300 || size % 509 == 0) check(size);
        }
    }
}

#include <doctest/doctest.h>

#include <algorithm>

#include "damaged_reading.h"
#include "format/layout.h"
#include "support/books.h"

using namespace fnprof;
using namespace fnprof::testing;

namespace {

// Slots of late areas have no checksum, and any of their values may be right.
bool in_late_slots(const Sample& sample, uint64_t byte) {
    constexpr uint64_t kHead = 8 + sizeof(format::LateAreaHeader);
    return std::ranges::any_of(sample.late_areas, [&](uint64_t area) {
        const auto next = std::ranges::upper_bound(sample.frames, area);
        const uint64_t end = next == sample.frames.end() ? sample.trace.size() : *next;
        return byte >= area + kHead && byte < end;
    });
}

}  // namespace

TEST_CASE("whatever bit of a trace is flipped, figures that differ are told and the books balance") {
    for (const Sample& sample : samples()) {
        CAPTURE(sample.name);
        const std::string whole = figures_of(profile_of(sample.trace, sample.live).value());
        std::vector<uint8_t> bytes = sample.trace;
        for (size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
            CAPTURE(bit);
            bytes[bit / 8] ^= static_cast<uint8_t>(1 << bit % 8);
            const std::optional<model::Profile> damaged = profile_of(bytes, sample.live);
            REQUIRE(complaint_of_books(damaged) == "");
            if (!in_late_slots(sample, bit / 8)) REQUIRE(complaint(damaged, whole) == "");
            bytes[bit / 8] = sample.trace[bit / 8];
        }
    }
}

TEST_CASE("an undamaged trace says nothing of damage") {
    for (const Sample& sample : samples()) {
        CAPTURE(sample.name);
        const model::Profile profile = profile_of(sample.trace, sample.live).value();
        CHECK(imbalance_of(profile) == "");
        CHECK(profile.integrity.complete == (sample.name != "dropped records"));
        CHECK(profile.integrity.damaged_blocks == 0);
        CHECK(profile.integrity.missing_chunks == 0);
    }
}

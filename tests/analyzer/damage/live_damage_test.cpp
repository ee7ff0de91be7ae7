// The live file has no checksums. What contradicts itself in it is told.
#include <doctest/doctest.h>

#include "damaged_reading.h"
#include "format/layout.h"
#include "support/books.h"

using namespace fnprof;
using namespace fnprof::testing;

namespace {

const Sample& killed() { return samples().back(); }

struct Flip {
    std::vector<uint8_t> live = killed().live;
    std::string whole = figures_of(profile_of(killed().trace, killed().live).value());

    // Every bit of `bytes` bytes from `offset` on. `silent`: any value is possible there.
    void all(size_t offset, size_t bytes, bool silent = false) {
        for (size_t bit = 8 * offset; bit < 8 * (offset + bytes); ++bit) {
            CAPTURE(bit / 8 - offset);
            CAPTURE(bit % 8);
            live[bit / 8] ^= static_cast<uint8_t>(1 << bit % 8);
            const std::optional<model::Profile> read = profile_of(killed().trace, live);
            REQUIRE(complaint_of_books(read) == "");
            if (!silent) REQUIRE(complaint(read, whole) == "");
            live[bit / 8] = killed().live[bit / 8];
        }
    }
};

constexpr size_t kArea = format::kPageBytes + 4 * format::kChunkBytes;
constexpr size_t kRings[] = {format::kPageBytes, format::kPageBytes + kArea};

}  // namespace

TEST_CASE("a bit flipped in the live file's header or in a ring's changes nothing, or is told") {
    Flip flip;
    flip.all(0, sizeof(format::LiveHeader));
    for (const size_t ring : kRings) flip.all(ring, sizeof(format::RingHeader));
}

TEST_CASE("a bit flipped in a chunk's state or header changes nothing, or is told") {
    Flip flip;
    for (const size_t ring : kRings) {
        for (size_t chunk = 0; chunk < 4; ++chunk) {
            CAPTURE(ring);
            CAPTURE(chunk);
            flip.all(ring + sizeof(format::RingHeader) + chunk * sizeof(format::ChunkState), sizeof(format::ChunkState));
            flip.all(ring + format::kPageBytes + chunk * format::kChunkBytes, sizeof(format::ChunkHeader));
        }
    }
}

TEST_CASE("a bit flipped in a slot leaves the books in balance") {
    Flip flip;
    for (const size_t chunk : {size_t{3}, size_t{2}}) {
        flip.all(kRings[0] + format::kPageBytes + chunk * format::kChunkBytes + sizeof(format::ChunkHeader), 10 * sizeof(format::Slot), true);
    }
}

TEST_CASE("the live file of another run is left out, whatever is wrong with it, and its absence is told") {
    std::vector<uint8_t> other = killed().live;
    other[offsetof(format::LiveHeader, process_start)] ^= 1;
    other[kRings[0]] ^= 1;  // and its first ring is broken
    const model::Profile with = profile_of(killed().trace, other).value();
    const model::Profile without = profile_of(killed().trace, {}).value();
    CHECK(figures_of(with) == figures_of(without));
    CHECK_FALSE(with.integrity.complete);
    CHECK_FALSE(without.integrity.complete);
    // Beside a trace that has its end it says nothing of that trace.
    const Sample& ended = samples().front();
    CHECK(figures_of(profile_of(ended.trace, other).value()) == figures_of(profile_of(ended.trace, {}).value()));
    CHECK(profile_of(ended.trace, other).value().integrity.complete);
}

#include "format/round_trip.h"
#include "support/streams.h"

using namespace fnprof::format;
using namespace fnprof::testing;

namespace {

Directory directory_of(const Coded& coded) {
    Directory directory;
    std::memcpy(&directory, coded.payload.data(), sizeof directory);
    return directory;
}

// Blocks of one walk after another, as one thread makes them; returns the last one.
Coded code_blocks(EncoderWorkspace& work, double step, double wait, unsigned blocks) {
    StepClock clock(step, wait, 11);
    Coded coded;
    for (unsigned i = 0; i < blocks; ++i) {
        const std::vector<Slot> slots = random_walk(clock, 20, kMaxRecordsPerBlock, 12 + i);
        coded = encode(slots, 0, TornPolicy::kSkip, work);
        DecodedBlock block;
        REQUIRE(decode_block(coded.payload.data(), coded.payload.size(), block));
        check_equal(block, slots);
    }
    return coded;
}

double step_of(const Coded& coded) { return static_cast<double>(directory_of(coded).step) / static_cast<double>(kWholeTick); }

}  // namespace

TEST_CASE("a clock that moves by whole steps is coded in steps") {
    for (const unsigned step : {1u, 2u, 3u, 16u}) {
        const std::unique_ptr<EncoderWorkspace> work(new EncoderWorkspace{});
        const Coded coded = code_blocks(*work, step, 40, 1);
        CHECK(step_of(coded) == step);
        CHECK(directory_of(coded).column_bytes[kTimeExtra] < 0.1 * kMaxRecordsPerBlock);
    }
}

TEST_CASE("a clock that moves by a fraction is coded in steps, with few exceptions once its step is known") {
    for (const double step : {24.45, 33.333, 10.07}) {
        const std::unique_ptr<EncoderWorkspace> work(new EncoderWorkspace{});
        const Coded coded = code_blocks(*work, step, 60, 8);
        CHECK(step_of(coded) == doctest::Approx(step).epsilon(1e-5));
        CHECK(directory_of(coded).column_bytes[kTimeExtra] < 0.06 * kMaxRecordsPerBlock);
    }
}

TEST_CASE("a clock without steps is coded in ticks") {
    const std::unique_ptr<EncoderWorkspace> work(new EncoderWorkspace{});
    CHECK(step_of(code_blocks(*work, 1, 70, 3)) == 1);
}

TEST_CASE("a workspace finds the step anew when the clock changes") {
    const std::unique_ptr<EncoderWorkspace> work(new EncoderWorkspace{});
    CHECK(step_of(code_blocks(*work, 16, 40, 2)) == 16);
    CHECK(step_of(code_blocks(*work, 1, 40, 2)) == 1);
    CHECK(step_of(code_blocks(*work, 2, 40, 2)) == 1);  // fits: nothing makes the encoder look again
}

TEST_CASE("too few records to judge by leave the step open") {
    const std::unique_ptr<EncoderWorkspace> work(new EncoderWorkspace{});
    StepClock clock(24.45, 60, 1);
    CHECK(step_of(encode(random_walk(clock, 5, 20, 1), 0, TornPolicy::kSkip, *work)) == 1);
    CHECK(step_of(encode(random_walk(clock, 5, 2000, 1), 0, TornPolicy::kSkip, *work)) > 24);
}

#include <algorithm>
#include <cstring>
#include <random>

#include "format/round_trip.h"
#include "support/streams.h"
#include "support/trace_builder.h"

using namespace fnprof::format;
using namespace fnprof::testing;

namespace {

// A payload with these columns.
struct Payload {
    Directory directory{};
    std::vector<uint8_t> columns[kColumnCount];

    Payload() {
        directory.base_ticks = 1000;
        directory.step = kWholeTick;
    }

    std::vector<uint8_t> bytes() const {
        Directory complete = directory;
        std::vector<uint8_t> payload(sizeof complete);
        for (uint32_t column = 0; column < kColumnCount; ++column) {
            complete.column_bytes[column] += static_cast<uint32_t>(columns[column].size());
            payload.insert(payload.end(), columns[column].begin(), columns[column].end());
        }
        std::memcpy(payload.data(), &complete, sizeof complete);
        return payload;
    }

    DecodeStatus decode(DecodedBlock& block) const {
        // In memory of exactly the right size, so that a sanitizer sees each read beyond it.
        const std::vector<uint8_t> payload = bytes();
        const std::unique_ptr<uint8_t[]> exact(new uint8_t[payload.size()]);
        std::memcpy(exact.get(), payload.data(), payload.size());
        return decode_block(exact.get(), payload.size(), block);
    }
    DecodeError error() const {
        DecodedBlock block;
        return decode(block).error;
    }
};

// One enter of function 64 from site 70 with the stack pointer at 3: a new symbol of a new pair.
Payload one_enter() {
    Payload payload;
    payload.directory.record_count = 1;
    payload.directory.pair_count = 1;
    payload.columns[kActions] = {kActionEscape};
    payload.columns[kTimes] = {0};
    payload.columns[kEscapes] = {1, 0, 0, 0x80, 1, 0x8c, 1, 6};
    return payload;
}

}  // namespace

TEST_CASE("a payload written out by hand decodes to its record") {
    DecodedBlock block;
    REQUIRE(one_enter().decode(block));
    REQUIRE(block.events.size() == 1);
    CHECK(block.events[0].time_word == make_time_word(1000, Kind::kEnter));
    CHECK(block.events[0].stack == 3);
    CHECK(block.symbols.at(0).function == 64);
    CHECK(block.symbols.at(0).call_site == 70);
}

TEST_CASE("each rule of the payload has its own error") {
    Payload payload = one_enter();
    SUBCASE("a record count beyond a block's") {
        payload.directory.record_count = kMaxRecordsPerBlock + 1;
        CHECK(payload.error() == DecodeError::kTooManyRecords);
    }
    SUBCASE("more pairs than records") {
        payload.directory.pair_count = 2;
        CHECK(payload.error() == DecodeError::kTooManyRecords);
    }
    SUBCASE("a clock step below one tick") {
        payload.directory.step = kWholeTick - 1;
        CHECK(payload.error() == DecodeError::kBadClockStep);
    }
    SUBCASE("fewer actions than records") {
        payload.directory.record_count = 2;
        CHECK(payload.error() == DecodeError::kColumnSizes);
    }
    SUBCASE("columns longer than the payload") {
        payload.directory.column_bytes[kEscapes] = 1;
        CHECK(payload.error() == DecodeError::kColumnSizes);
    }
    SUBCASE("columns shorter than the payload") {
        payload.directory.column_bytes[kEscapes] = 0xffffffff;
        CHECK(payload.error() == DecodeError::kColumnSizes);
    }
    SUBCASE("an escape that is cut") {
        payload.columns[kEscapes].pop_back();
        CHECK(payload.error() == DecodeError::kColumnEnd);
    }
    SUBCASE("escape bytes that nothing needs") {
        payload.columns[kEscapes].push_back(1);
        CHECK(payload.error() == DecodeError::kColumnRest);
    }
    SUBCASE("time bytes that nothing needs") {
        payload.columns[kTimeExtra].push_back(1);
        CHECK(payload.error() == DecodeError::kColumnRest);
    }
    SUBCASE("a number of more than 64 bits") {
        payload.columns[kEscapes] = {1, 0, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 2};
        CHECK(payload.error() == DecodeError::kBadVarint);
    }
    SUBCASE("an operation that does not exist") {
        payload.columns[kEscapes][0] = kOpPop + 1;
        CHECK(payload.error() == DecodeError::kBadOperation);
        payload.columns[kEscapes][0] = 0;
        CHECK(payload.error() == DecodeError::kBadOperation);
    }
    SUBCASE("a pair that is not defined") {
        payload.columns[kEscapes] = {1, 1, 0};
        CHECK(payload.error() == DecodeError::kBadPair);
    }
    SUBCASE("the function of a pair that is not defined") {
        payload.columns[kEscapes] = {1, 0, 1, 0, 0};
        CHECK(payload.error() == DecodeError::kBadPair);
    }
    SUBCASE("more pairs than announced") {
        payload.directory.pair_count = 0;
        CHECK(payload.error() == DecodeError::kBadPair);
    }
    SUBCASE("an exit of an empty stack") {
        payload.columns[kActions] = {kActionExit};
        CHECK(payload.error() == DecodeError::kBadPop);
    }
    SUBCASE("an exit of more entries than there are") {
        payload.columns[kEscapes] = {kOpPop, 1, 0};
        CHECK(payload.error() == DecodeError::kBadPop);
    }
    SUBCASE("the enter of a symbol that is not defined") {
        payload.columns[kActions] = {kActionEnter};
        CHECK(payload.error() == DecodeError::kBadSymbol);
    }
    SUBCASE("a wide symbol without its second byte") {
        payload.columns[kActions] = {kActionWide};
        CHECK(payload.error() == DecodeError::kColumnEnd);
    }
    SUBCASE("a long time without its bytes") {
        for (const uint32_t code : {kTimeByte, kTimeWord, kTimeLate, kTimeEarly, kTimeExact}) {
            payload.columns[kTimes] = {static_cast<uint8_t>(code)};
            CHECK(payload.error() == DecodeError::kColumnEnd);
        }
    }
}

TEST_CASE("the records before a fault are kept") {
    Payload payload = one_enter();
    payload.directory.record_count = 3;
    payload.columns[kActions] = {kActionEscape, kActionExit, kActionExit};
    payload.columns[kTimes] = {0, 10, 10};
    DecodedBlock block;
    const DecodeStatus status = payload.decode(block);
    CHECK(status.error == DecodeError::kBadPop);
    CHECK(status.offset == sizeof(Directory) + 2);
    REQUIRE(block.events.size() == 2);
    CHECK(block.events[1].time_word == make_time_word(1010, Kind::kExit));
}

TEST_CASE("a payload cut anywhere is an error, not a read beyond its end") {
    StepClock clock(24.45, 300, 1);
    const Coded coded = encode(random_walk(clock, 300, 600, 1, 0.05));
    for (size_t size = 0; size < coded.payload.size(); ++size) {
        const std::unique_ptr<uint8_t[]> exact(new uint8_t[size + 1]);
        std::memcpy(exact.get(), coded.payload.data(), size);
        DecodedBlock block;
        REQUIRE_FALSE(decode_block(exact.get(), size, block));
    }
}

TEST_CASE("any bytes decode to an error or to records whose symbols exist") {
    StepClock clock(1, 300, 1);
    const Coded coded = encode(random_walk(clock, 300, 2000, 1, 0.05));
    std::mt19937 random(1);
    BlockDecoder decoder;
    DecodedBlock block;
    for (unsigned round = 0; round < 3000; ++round) {
        std::vector<uint8_t> payload = coded.payload;
        for (unsigned flips = 1 + random() % 8; flips > 0; --flips) payload[random() % payload.size()] ^= static_cast<uint8_t>(1 << random() % 8);
        const DecodeStatus status = decoder.decode(payload.data(), payload.size(), block);
        REQUIRE(status.offset <= payload.size());
        REQUIRE(std::all_of(block.events.begin(), block.events.end(), [&](const Event& event) { return event.symbol < block.symbols.size(); }));
    }
}

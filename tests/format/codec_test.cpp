#include <algorithm>

#include "format/round_trip.h"
#include "support/streams.h"
#include "support/trace_builder.h"

using namespace fnprof::format;
using namespace fnprof::testing;

TEST_CASE("a call tree of one function costs one byte of action and one of time a record") {
    StepClock clock(1, 40, 1);
    std::vector<Slot> slots;
    fib_calls(slots, clock, 18);
    slots.resize(kMaxRecordsPerBlock > slots.size() ? slots.size() : kMaxRecordsPerBlock);
    const Coded coded = check_round_trip(slots);
    CHECK(coded.payload.size() < slots.size() * 21 / 10);
    CHECK(coded.result.pair_count == 3);
}

TEST_CASE("a walk over a large call graph comes back exactly") {
    for (const uint32_t functions : {5u, 500u, 6000u}) {
        StepClock clock(1, 90, functions);
        check_round_trip(random_walk(clock, functions, kMaxRecordsPerBlock, functions, 0.01));
    }
}

TEST_CASE("records of any bits come back exactly") {
    for (uint32_t seed = 1; seed <= 5; ++seed) check_round_trip(noise(kMaxRecordsPerBlock, seed));
}

TEST_CASE("noise between calls does not disturb the calls") {
    StepClock clock(24.45, 70, 3);
    std::vector<Slot> slots = random_walk(clock, 300, kMaxRecordsPerBlock, 4, 0.02);
    const std::vector<Slot> disturbance = noise(slots.size(), 5);
    for (size_t i = 0; i < slots.size(); i += 37) slots[i] = disturbance[i];
    check_round_trip(slots);
}

TEST_CASE("extreme field values come back exactly") {
    std::vector<Slot> slots;
    const uint64_t addresses[] = {0, 1, kAddressMask, kAddressMask - 1, uint64_t{1} << 47, (uint64_t{1} << 47) - 1};
    const uint32_t stacks[] = {0, 1, 0xffffffff, 0x80000000, 0x7fffffff};
    const uint64_t times[] = {1, (uint64_t{1} << 60) - 1, uint64_t{1} << 59, uint64_t{1} << 32, (uint64_t{1} << 31) - 1};
    for (unsigned kind = 1; kind <= kKindMask; ++kind) {
        for (const uint64_t function : addresses) {
            for (const uint64_t site : addresses) {
                for (const uint32_t stack : stacks) {
                    for (const uint64_t time : times) slots.push_back(make_slot(static_cast<Kind>(kind), function, site, stack, time));
                }
            }
        }
    }
    REQUIRE(slots.size() <= kMaxRecordsPerBlock);
    check_round_trip(slots);
    std::reverse(slots.begin(), slots.end());
    check_round_trip(slots);
}

TEST_CASE("the example of FORMAT.md is coded as it says") {
    const auto tree = [](uint64_t time) -> std::vector<Slot> {
        return {make_slot(Kind::kEnter, 0x401100, 0x401205, 0x1000, time),      make_slot(Kind::kEnter, 0x401100, 0x40112b, 0xffd, time + 40),
                make_slot(Kind::kExit, 0x401100, 0x40112b, 0xffd, time + 70),   make_slot(Kind::kEnter, 0x401100, 0x40113a, 0xffd, time + 110),
                make_slot(Kind::kExit, 0x401100, 0x40113a, 0xffd, time + 140),  make_slot(Kind::kExit, 0x401100, 0x401205, 0x1001, time + 600)};
    };
    workspace().clock = {};
    const std::vector<uint8_t> expected = {
        0x88, 0x13, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 6, 0, 0, 0, 3, 0, 0, 0,           // directory
        6, 0, 0, 0, 6, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0x1a, 0, 0, 0, 0, 0, 0, 0,              //
        0xff, 0xff, 0x00, 0xff, 0x00, 0xff,                                                    // actions
        0x00, 0x28, 0x1e, 0x28, 0x1e, 0xe0,                                                    // times
        0xec,                                                                                  // time extra
        0x01, 0x00, 0x00, 0x80, 0xc4, 0x80, 0x04, 0x8a, 0xc8, 0x80, 0x04, 0x80, 0x40,          // escapes
        0x01, 0x00, 0x01, 0x56, 0x05, 0x01, 0x00, 0x01, 0x74, 0x05, 0x10, 0x01, 0x02};
    CHECK(check_round_trip(tree(5000)).payload == expected);
    std::vector<Slot> three = tree(5000);
    for (const uint64_t time : {uint64_t{6000}, uint64_t{7000}}) {
        for (const Slot& slot : tree(time)) three.push_back(slot);
    }
    const Coded coded = check_round_trip(three);
    const auto actions = coded.payload.begin() + sizeof(Directory);
    CHECK(std::vector<uint8_t>(actions + 6, actions + 18) == std::vector<uint8_t>{0xff, 2, 0, 3, 0, 0, 4, 2, 0, 3, 0, 0});
}

TEST_CASE("an empty block is a directory alone") {
    const Coded coded = check_round_trip({});
    CHECK(coded.payload.size() == sizeof(Directory));
    CHECK(coded.result.column_count == 1);
}

TEST_CASE("a stack deeper than the prediction stack forgets its oldest entries") {
    std::vector<Slot> slots;
    constexpr uint32_t kDeep = kStackDepth * 3;
    uint64_t time = 1;
    for (uint32_t i = 0; i < kDeep; ++i) slots.push_back(make_slot(Kind::kEnter, 0x1000, 0x1010, 0x900000 - 2 * i, time += 30));
    for (uint32_t i = kDeep; i-- > 0;) slots.push_back(make_slot(Kind::kExit, 0x1000, 0x1010, 0x900000 - 2 * i, time += 30));
    check_round_trip(slots);
}

TEST_CASE("more symbols than codes and more pairs than the tables hold are spelled out") {
    std::vector<Slot> steps;  // one pair, ever new stack steps
    std::vector<Slot> pairs;  // ever new pairs
    for (uint32_t i = 0; i < kMaxRecordsPerBlock; ++i) {
        steps.push_back(make_slot(Kind::kEnter, 0x1000, 0x1010, i * i, i + 1));
        pairs.push_back(make_slot(i % 2 ? Kind::kEnter : Kind::kExit, 0x1000 + i, 0x1010 + 3 * i, i, i + 1));
    }
    CHECK(check_round_trip(steps).result.pair_count == 1);
    CHECK(check_round_trip(pairs).result.pair_count == kMaxRecordsPerBlock);
}

TEST_CASE("symbols beyond the narrow ones are found again") {
    std::vector<Slot> slots = {enter(1, 2, 0x7f1000, 1)};
    uint64_t time = 1;
    for (unsigned round = 0; round < 5; ++round) {
        for (uint32_t i = 0; i < 2000; ++i) {
            slots.push_back(enter(0x1000 + 16 * i, 0x900000 + 8 * i, 0x7f0000, time += 20));
            slots.push_back(exit(0x1000 + 16 * i, 0x900000 + 8 * i, 0x7f0000, time += 20));
        }
    }
    const Coded coded = check_round_trip(slots);
    Directory directory;
    std::memcpy(&directory, coded.payload.data(), sizeof directory);
    CHECK(directory.column_bytes[kWide] == 4 * (2000 - (kNarrowSymbols - 1)));
}

TEST_CASE("exits may skip entries that a longjmp left behind") {
    std::vector<Slot> slots;
    uint64_t time = 1;
    for (unsigned round = 0; round < 100; ++round) {
        slots.push_back(enter(0x1000, 0x500, 0x8000, time += 9));
        for (unsigned depth = 1; depth < 70; ++depth) slots.push_back(enter(0x2000, 0x1010, 0x8000 - 32 * depth, time += 9));
        slots.push_back(longjmp_mark(0x8000, time += 9));
        slots.push_back(exit(0x1000, 0x500, 0x8000, time += 9));
    }
    check_round_trip(slots);
}

TEST_CASE("an exit whose stack pointer moves costs an escape only when it changes") {
    std::vector<Slot> slots = {enter(1, 2, 0x9000, 1)};
    uint64_t time = 1;
    for (unsigned i = 0; i < 1000; ++i) {
        slots.push_back(enter(0x1000, 0x500, 0x8000, time += 9));
        slots.push_back(exit(0x1000, 0x500, 0x8000 + 64, time += 9));
    }
    const Coded coded = check_round_trip(slots);
    const uint8_t* actions = coded.payload.data() + sizeof(Directory);
    CHECK(std::count(actions, actions + slots.size(), kActionEscape) == 3);  // the outer enter, the first enter and its exit
}

TEST_CASE("times that go back are recovered, and the block's limits are its least and greatest time") {
    const std::vector<Slot> slots = {enter(1, 2, 32, 500), enter(3, 4, 16, 900), exit(3, 4, 16, 100), exit(1, 2, 32, 700)};
    const Coded coded = check_round_trip(slots);
    CHECK(coded.result.first_ticks == 100);
    CHECK(coded.result.last_ticks == 900);
    const Coded rising = check_round_trip({slots[0], slots[1]});
    CHECK(rising.result.first_ticks == 500);
    CHECK(rising.result.last_ticks == 900);
}

TEST_CASE("torn slots are skipped and counted") {
    std::vector<Slot> slots = {enter(1, 2, 32, 500), torn(), enter(3, 4, 16, 600), exit(3, 4, 16, 100), exit(1, 2, 32, 700)};
    slots.push_back(make_slot(Kind::kNone, 1, 2, 3, 800));
    const Coded coded = check_round_trip(slots, 100);
    CHECK(coded.result.torn_count == 3);
    CHECK(coded.result.record_count == 3);
    CHECK(coded.result.first_ticks == 500);
}

TEST_CASE("a torn slot can refuse the block, and the workspace is fit for the next one") {
    EncoderWorkspace& work = workspace();
    const std::vector<Slot> good = {enter(1, 2, 32, 500), exit(1, 2, 32, 700)};
    CHECK(encode({good[0], torn(), good[1]}, 0, TornPolicy::kRefuse, work).result.refused);
    CHECK_FALSE(encode(good, 0, TornPolicy::kRefuse, work).result.refused);
    check_round_trip(good);
}

TEST_CASE("too little room or too many slots is refused") {
    const std::vector<Slot> slots(3, enter(1, 2, 32, 500));
    const ChunkInput chunk{slots.data(), 3, 0};
    std::vector<uint8_t> out(encoded_bound(3));
    CHECK_FALSE(encode_block(workspace(), &chunk, 1, TornPolicy::kSkip, out.data(), out.size()).refused);
    CHECK(encode_block(workspace(), &chunk, 1, TornPolicy::kSkip, out.data(), out.size() - 1).refused);
    CHECK(encode_block(workspace(), &chunk, 0, TornPolicy::kSkip, out.data(), out.size()).refused);
    CHECK(encode(std::vector<Slot>(kMaxRecordsPerBlock + 1, slots[0])).result.refused);
    const std::vector<Slot> more(kSlotsPerChunk + 1, slots[0]);
    const ChunkInput too_long{more.data(), kSlotsPerChunk + 1, 0};
    out.resize(encoded_bound(kSlotsPerChunk + 1));
    CHECK(encode_block(workspace(), &too_long, 1, TornPolicy::kSkip, out.data(), out.size()).refused);
}

TEST_CASE("no block is longer than its bound") {
    for (uint32_t seed = 1; seed <= 3; ++seed) {
        const std::vector<Slot> slots = noise(500, seed);
        std::vector<uint8_t> out(encoded_bound(500) + 64, 0xa5);
        const ChunkInput chunk{slots.data(), 500, 0};
        const EncodeResult result = encode_block(workspace(), &chunk, 1, TornPolicy::kSkip, out.data(), out.size() - 64);
        CHECK(result.payload_bytes <= encoded_bound(500));
        CHECK(std::all_of(out.end() - 64, out.end(), [](uint8_t byte) { return byte == 0xa5; }));
    }
}

TEST_CASE("the workspace names the pairs of the block just coded, the first of them when there are too many") {
    const std::vector<Slot> slots = {enter(0x401000, 0x402000, 64, 10), enter(0x401040, 0x401008, 32, 20), exit(0x401040, 0x401008, 32, 30)};
    REQUIRE(encode(slots).result.pair_count == 2);
    CHECK(workspace().pairs[0].function == 0x401000);
    CHECK(workspace().pairs[1].function == 0x401040);
    CHECK(workspace().pairs[1].site == 0x401008);
    std::vector<Slot> many;
    for (uint32_t i = 0; i < kMaxPairs + 10; ++i) many.push_back(enter(0x401000 + 16 * i, 0x402000, 64, 10 + i));
    CHECK(encode(many).result.pair_count == kMaxPairs + 10);
    CHECK(workspace().pairs[kMaxPairs - 1].function == 0x401000 + 16 * (kMaxPairs - 1));
}

TEST_CASE("a block is coded the same whatever the workspace was used for before") {
    const std::unique_ptr<EncoderWorkspace> work(new EncoderWorkspace{});
    StepClock clock(1, 50, 7);
    const std::vector<Slot> walk = random_walk(clock, 40, 500, 8);
    const Coded first = encode(walk, 0, TornPolicy::kSkip, *work);
    for (uint32_t seed = 1; seed <= 3; ++seed) {
        encode(noise(kMaxRecordsPerBlock, seed), 0, TornPolicy::kSkip, *work);
        work->clock = {};
        CHECK(encode(walk, 0, TornPolicy::kSkip, *work).payload == first.payload);
    }
}

TEST_CASE("chunks of one block have their own stale times") {
    const Slot old_slots[] = {enter(1, 2, 32, 50), enter(1, 2, 32, 150)};
    const Slot new_slots[] = {enter(5, 6, 32, 150), enter(5, 6, 32, 250)};
    const ChunkInput chunks[] = {{old_slots, 2, 0}, {new_slots, 2, 200}};
    std::vector<uint8_t> out(encoded_bound(4));
    const EncodeResult result = encode_block(workspace(), chunks, 2, TornPolicy::kSkip, out.data(), out.size());
    CHECK(result.record_count == 3);
    CHECK(result.torn_count == 1);
    DecodedBlock block;
    REQUIRE(decode_block(out.data(), result.payload_bytes, block));
    CHECK(ticks_of(block.events[2].time_word) == 250);
}

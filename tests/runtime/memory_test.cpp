#include "memory.h"

#include <doctest/doctest.h>
#include <algorithm>
#include <cstring>

using namespace fnprof::rt;

TEST_CASE("memory that grows keeps its content, however much it grows by, and the rest is zeros") {
    constexpr char kText[] = "what was there before";
    for (const size_t bytes : {size_t{65537}, size_t{200'000}, size_t{9'000'000}}) {
        CAPTURE(bytes);
        GrowingMemory memory;
        REQUIRE(memory.reserve(1));
        const size_t before = memory.capacity();
        std::memcpy(memory.data() + before - sizeof kText, kText, sizeof kText);
        REQUIRE(memory.reserve(bytes));
        CHECK(memory.capacity() >= bytes);
        CHECK(std::memcmp(memory.data() + before - sizeof kText, kText, sizeof kText) == 0);
        CHECK(std::all_of(memory.data() + before, memory.data() + memory.capacity(), [](uint8_t byte) { return byte == 0; }));
        memory.release();
        CHECK(memory.data() == nullptr);
    }
}

TEST_CASE("memory that cannot grow is what it was") {
    GrowingMemory memory;
    REQUIRE(memory.reserve(100));
    memory.data()[99] = 7;
    const uint8_t* const data = memory.data();
    const size_t capacity = memory.capacity();
    CHECK_FALSE(memory.reserve(SIZE_MAX / 5));
    CHECK_FALSE(memory.reserve(SIZE_MAX));
    CHECK(memory.data() == data);
    CHECK(memory.capacity() == capacity);
    CHECK(memory.data()[99] == 7);
    memory.release();
}

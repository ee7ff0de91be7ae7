// The ring's two promises under schedules that are made to be bad: every record comes out once, whole and in order, whoever
// codes it; and what was claimed but never committed is seen as torn, never as a record.
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <random>
#include <thread>
#include <vector>

#include "clock.h"
#include "ring.h"

using namespace fnprof;
using rt::Publisher;
using rt::Ring;

namespace {

constexpr uint32_t kChunks = 4;

uint64_t last_ticks(const format::Chunk& chunk, uint32_t slots) {
    uint64_t last = 0;
    for (uint32_t i = 0; i < slots; i++) last = std::max(last, format::ticks_of(__atomic_load_n(&chunk.slots[i].time_word, __ATOMIC_ACQUIRE)));
    return last;
}

// What the coder does with a chunk, but into a list: takes the committed slots, counts the torn ones, frees the chunk.
struct Drain {
    std::vector<uint64_t> functions;
    uint64_t torn = 0;
    std::atomic<uint64_t> by_owner{0}, by_other{0};

    // Takes the oldest published chunk if nobody else is at it.
    bool take(Ring& ring, bool owner) {
        if (!ring.coder_lock.try_lock()) return false;
        const uint64_t coded = ring.coded.load(std::memory_order_relaxed);
        const bool any = coded != ring.published.load(std::memory_order_acquire);
        if (any) {
            const format::Chunk& chunk = ring.chunk_at(coded);
            for (uint32_t i = 0; i < ring.state_at(coded).used_slots; i++) {
                const uint64_t word = __atomic_load_n(&chunk.slots[i].time_word, __ATOMIC_ACQUIRE);
                if (format::ticks_of(word) > chunk.header.stale_ticks) {
                    functions.push_back(format::function_of(chunk.slots[i]));
                } else {
                    torn++;
                }
            }
            rt::note_latest(ring, coded, last_ticks(chunk, ring.state_at(coded).used_slots));
            __atomic_store_n(&ring.state_at(coded).use, static_cast<uint32_t>(format::ChunkUse::kFree), __ATOMIC_RELEASE);
            ring.coded.store(coded + 1, std::memory_order_release);
            (owner ? by_owner : by_other)++;
        }
        ring.coder_lock.unlock();
        return any;
    }
};

// One claim as the hooks make it; null when the thread owns no slot.
format::Slot* claim(rt::Control& control) {
    const uint64_t at = control.cursor;
    control.cursor += sizeof(format::Slot);
    return rt::owns(control.limit, at) ? reinterpret_cast<format::Slot*>(at) : nullptr;
}

void commit(format::Slot& slot, uint64_t function) {
    const format::Slot full = format::make_slot(format::Kind::kEnter, function, 1, 2, rt::clock_ticks());
    slot.function_word = full.function_word;
    slot.site_word = full.site_word;
    __atomic_store_n(&slot.time_word, full.time_word, __ATOMIC_RELEASE);
}

// Records 1, 2, 3, ...; now and then stops in between, and leaves slots uncommitted where `torn` says so.
struct Producer {
    Ring& ring;
    Drain& drain;
    std::mt19937 random;
    uint64_t made = 0, torn = 0;

    void next_chunk() {
        rt::publish_chunk(ring, Publisher::kOwner);
        while (ring.full())
            if (!drain.take(ring, true)) std::this_thread::yield();
        REQUIRE(rt::back_chunk(ring, ring.opened.load(std::memory_order_relaxed)));
        rt::open_chunk(ring);
    }

    void run(uint64_t records, uint32_t torn_in_1024) {
        while (made < records) {
            if (random() % 4096 == 0) std::this_thread::yield();
            format::Slot* slot = claim(*ring.control);
            if (slot == nullptr) {
                next_chunk();
            } else if (random() % 1024 < torn_in_1024) {
                torn++;
            } else {
                commit(*slot, ++made);
            }
        }
        rt::publish_chunk(ring, Publisher::kOwner);
    }
};

void check_all_there(const Drain& drain, uint64_t made) {
    REQUIRE(drain.functions.size() == made);
    for (uint64_t i = 0; i < made; i++) REQUIRE(drain.functions[i] == i + 1);
}

Ring& make_ring() {
    Ring* ring = rt::create_ring(kChunks);
    REQUIRE(ring != nullptr);
    ring->thread.serial = 1;
    return *ring;
}

}  // namespace

TEST_CASE("every record comes out once and in order while a second thread drains the ring") {
    constexpr uint64_t kRecords = 300'000;
    for (unsigned seed : {1u, 2u, 3u}) {
        Ring& ring = make_ring();
        Drain drain;
        std::atomic<bool> done{false};
        std::thread collector([&] {
            std::mt19937 random(seed + 100);
            while (!done.load(std::memory_order_acquire) || ring.coded.load(std::memory_order_relaxed) != ring.published.load(std::memory_order_acquire)) {
                drain.take(ring, false);
                // Stalls of very different length: the owner has to code some chunks itself.
                for (uint32_t pauses = random() % 64; pauses != 0; pauses--) std::this_thread::yield();
            }
        });
        Producer producer{ring, drain, std::mt19937(seed)};
        producer.run(kRecords, 0);
        done.store(true, std::memory_order_release);
        collector.join();
        check_all_there(drain, kRecords);
        CHECK(drain.torn == 0);
        CHECK(drain.by_owner + drain.by_other == (kRecords + format::kSlotsPerChunk - 1) / format::kSlotsPerChunk);
    }
}

TEST_CASE("a thread alone codes its own chunks and loses nothing") {
    constexpr uint64_t kRecords = 100'000;
    Ring& ring = make_ring();
    Drain drain;
    Producer producer{ring, drain, std::mt19937(7)};
    producer.run(kRecords, 0);
    while (drain.take(ring, true)) {
    }
    check_all_there(drain, kRecords);
    CHECK(drain.by_other == 0);
}

TEST_CASE("slots that were claimed and never committed are torn, in the first lap over fresh memory and in later ones") {
    constexpr uint64_t kRecords = 100'000;
    Ring& ring = make_ring();
    Drain drain;
    Producer producer{ring, drain, std::mt19937(11)};
    producer.run(kRecords, 64);
    while (drain.take(ring, true)) {
    }
    check_all_there(drain, kRecords);
    CHECK(producer.torn > kRecords / 64);
    CHECK(drain.torn == producer.torn);
}

TEST_CASE("a claim that ran past the end of its chunk is owned in none of the chunks opened next") {
    Ring& ring = make_ring();
    Drain drain;
    rt::Control& control = *ring.control;
    REQUIRE(rt::back_chunk(ring, 0));
    rt::open_chunk(ring);
    for (int lap = 0; lap < 3 * static_cast<int>(kChunks); lap++) {
        while (claim(control) != nullptr) {
        }
        const uint64_t past = control.cursor - sizeof(format::Slot);
        CHECK_FALSE(rt::owns(control.limit, past));
        rt::publish_chunk(ring, Publisher::kOwner);
        while (drain.take(ring, true)) {
        }
        REQUIRE(rt::back_chunk(ring, ring.opened.load()));
        rt::open_chunk(ring);
        // What a handler leaves to the hook that it interrupted between claim and test, up to a hundred nested ones.
        for (uint64_t i = 0; i < 100; i++) CHECK_FALSE(rt::owns(control.limit, past + i * sizeof(format::Slot)));
    }
}

TEST_CASE("a claim in a chunk that a handler has left meanwhile is not owned any more") {
    Ring& ring = make_ring();
    rt::Control& control = *ring.control;
    REQUIRE(rt::back_chunk(ring, 0));
    rt::open_chunk(ring);
    const uint64_t interrupted = control.cursor;
    REQUIRE(claim(control) != nullptr);
    rt::publish_chunk(ring, Publisher::kOwner);
    REQUIRE(rt::back_chunk(ring, 1));
    rt::open_chunk(ring);
    CHECK_FALSE(rt::owns(control.limit, interrupted));
}

TEST_CASE("a record that came into its chunk after that was published is none of the chunk's next use") {
    Ring& ring = make_ring();
    Drain drain;
    REQUIRE(rt::back_chunk(ring, 0));
    rt::open_chunk(ring);
    format::Slot* const interrupted = claim(*ring.control);
    rt::publish_chunk(ring, Publisher::kOwner);
    constexpr uint64_t kLongHandler = 1'000'000;
    const uint64_t late = ring.state_at(0).changed_ticks + kLongHandler;
    *interrupted = format::make_slot(format::Kind::kEnter, 1, 1, 2, late);
    REQUIRE(drain.take(ring, true));
    check_all_there(drain, 1);
    for (uint64_t position = 1; position <= kChunks; position++) {
        REQUIRE(rt::back_chunk(ring, position));
        rt::open_chunk(ring);
        if (position == kChunks) break;
        rt::publish_chunk(ring, Publisher::kOwner);
        drain.take(ring, true);
    }
    CHECK(ring.chunk_at(kChunks).header.stale_ticks >= late);
}

TEST_CASE("no limit owns nothing") {
    for (uint64_t claimed : {uint64_t{0}, uint64_t{24}, uint64_t{1} << 20, uint64_t{1} << 47}) CHECK_FALSE(rt::owns(0, claimed));
}

TEST_CASE("a ring taken over from a dead thread holds its records up to the last committed one") {
    Ring& ring = make_ring();
    Drain drain;
    REQUIRE(rt::back_chunk(ring, 0));
    rt::open_chunk(ring);
    for (uint64_t i = 1; i <= 10; i++) commit(*claim(*ring.control), i);
    claim(*ring.control);  // died in the middle of it
    CHECK(rt::newest_ticks(ring) == format::ticks_of(ring.chunk_at(0).slots[9].time_word));
    rt::publish_chunk(ring, Publisher::kOther);
    REQUIRE(drain.take(ring, true));
    check_all_there(drain, 10);
    CHECK(drain.torn == 0);
}

TEST_CASE("at the end a hook that has claimed a slot may commit it yet, until its thread comes to its slow path") {
    Ring& ring = make_ring();
    CHECK_FALSE(rt::may_commit_yet(ring));
    REQUIRE(rt::back_chunk(ring, 0));
    rt::open_chunk(ring);
    commit(*claim(*ring.control), 1);
    format::Slot* const late = claim(*ring.control);
    REQUIRE(late != nullptr);
    const uint64_t limit = ring.control->limit;
    CHECK_FALSE(rt::may_commit_yet(ring));
    ring.control->limit = 0;
    CHECK(rt::may_commit_yet(ring));
    commit(*late, 2);
    CHECK_FALSE(rt::may_commit_yet(ring));
    ring.control->cursor += sizeof(format::Slot);  // claimed since, by a hook that does not own it
    CHECK(rt::may_commit_yet(ring));
    ring.control->limit = limit;  // as an area for late records sets one
    CHECK_FALSE(rt::may_commit_yet(ring));
}

TEST_CASE("a chunk's pages are asked for once: by its thread at the first use, or by the collector before that") {
    Ring& ring = make_ring();
    CHECK(rt::touch_chunk(ring, 0));
    ring.prepared.store(3, std::memory_order_relaxed);
    CHECK_FALSE(rt::touch_chunk(ring, 2));
    CHECK(rt::touch_chunk(ring, 3));
    CHECK_FALSE(rt::touch_chunk(ring, kChunks));  // every later lap
}

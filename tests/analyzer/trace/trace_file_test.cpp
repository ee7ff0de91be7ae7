#include <unistd.h>

#include <cstring>
#include <filesystem>

#include "analyzer/trace/reading.h"

using namespace fnprof;
using namespace fnprof::testing;
using trace::TraceError;
using trace::TraceFile;

namespace {

TraceError::Kind error_kind(const std::vector<uint8_t>& bytes) {
    try {
        TraceFile::from_bytes(bytes, "bad trace");
    } catch (const TraceError& error) {
        CHECK(std::string(error.what()).find("bad trace") != std::string::npos);
        return error.kind();
    }
    FAIL("was read");
    return {};
}

std::filesystem::path scratch_directory() {
    const std::filesystem::path path = std::filesystem::temp_directory_path() / ("fnprof_trace_test." + std::to_string(getpid()));
    std::filesystem::create_directories(path);
    return path;
}

}  // namespace

TEST_CASE("the records of each block come back as they were written") {
    TraceBuilder trace;
    small_trace(trace);
    TraceFile file = open(trace);
    CHECK(file.block_count() == 3);
    CHECK(file.record_count() == 6);
    const std::vector<ReadBlock> blocks = read_all(file);
    REQUIRE(blocks.size() == 3);
    CHECK(blocks[0] == ReadBlock{1, 0, 0, false, false, call(1, 100)});
    CHECK(blocks[1] == ReadBlock{2, 0, 0, false, false, call(2, 200)});
    CHECK(blocks[2] == ReadBlock{1, 1, 0, false, false, call(3, 300)});
    CHECK(file.diagnostics().clean());
}

TEST_CASE("a trace can be read from a file, and from a path that is no trace comes a reason") {
    const std::filesystem::path directory = scratch_directory();
    TraceBuilder trace;
    small_trace(trace);
    const std::string path = directory / "trace.zst";
    trace.write_file(path);
    {
        TraceFile file(path);
        CHECK(read_all(file).size() == 3);
        std::filesystem::resize_file(path, trace.frame_offsets()[2]);  // the program was run again while this one reads
        TraceFile same(path);
        CHECK(read_all(same).size() == 1);
    }
    for (const std::filesystem::path& bad : {directory / "missing.zst", directory}) {
        try {
            TraceFile file(bad);
            FAIL("was read");
        } catch (const TraceError& error) {
            CHECK(error.kind() == TraceError::Kind::kUnreadable);
            CHECK(std::string(error.what()).find(bad) != std::string::npos);
        }
    }
    std::filesystem::remove_all(directory);
}

TEST_CASE("what cannot be a trace is refused with its reason") {
    CHECK(error_kind({}) == TraceError::Kind::kEmpty);
    CHECK(error_kind({'h', 'e', 'l', 'l', 'o', ' ', 'w', 'o', 'r', 'l', 'd'}) == TraceError::Kind::kNotATrace);
    TraceBuilder other;
    format::BlockHeader header{};
    header.magic = 0x12345678;
    other.frame(header, {1, 2, 3});
    CHECK(error_kind(other.bytes()) == TraceError::Kind::kNotATrace);
    TraceBuilder newer;
    newer.version = format::kVersion + 1;
    small_trace(newer);
    CHECK(error_kind(newer.bytes()) == TraceError::Kind::kNewerVersion);
    TraceBuilder cut;
    small_trace(cut);
    CHECK(error_kind({cut.bytes().begin(), cut.bytes().begin() + 50}) == TraceError::Kind::kNotATrace);
}

TEST_CASE("a thread's blocks come in the order of their chunks, whatever the order in the file") {
    TraceBuilder trace;
    trace.process("app").metadata_block();
    trace.skip_chunks(1, 2).records(1, call(3, 300));
    trace.records(2, call(9, 150));
    const TraceBuilder& const_trace = trace;
    CHECK(const_trace.next_chunk(1) == 3);
    TraceBuilder early;
    early.records(1, call(1, 100)).records(1, call(2, 200));
    trace.raw(early.bytes().data(), early.bytes().size());
    TraceFile file = open(trace);
    const std::vector<ReadBlock> blocks = read_all(file);
    REQUIRE(blocks.size() == 4);
    CHECK(blocks[0] == ReadBlock{1, 0, 0, false, false, call(1, 100)});
    CHECK(blocks[1] == ReadBlock{2, 0, 0, false, false, call(9, 150)});
    CHECK(blocks[2] == ReadBlock{1, 1, 0, false, false, call(2, 200)});
    CHECK(blocks[3] == ReadBlock{1, 2, 0, false, false, call(3, 300)});
    CHECK(file.diagnostics().clean());
}

TEST_CASE("a long trace is decoded ahead, in order, with its damage told") {
    TraceBuilder trace;
    trace.process("app").metadata_block();
    for (unsigned i = 0; i < 50; ++i) trace.records(1 + i % 3, call(i, 100 + 100 * i));
    std::vector<uint8_t> bytes = trace.bytes();
    bytes[trace.frame_offsets()[20] + 90] ^= 1;
    TraceFile file = TraceFile::from_bytes(bytes, "long trace");
    const std::vector<ReadBlock> blocks = read_all(file);
    REQUIRE(blocks.size() == 49);
    for (unsigned i = 0; i < 49; ++i) {
        const unsigned n = i < 19 ? i : i + 1;
        CHECK(blocks[i] == ReadBlock{1 + n % 3, n / 3, 0, false, false, call(n, 100 + 100 * n)});
    }
    CHECK(file.diagnostics().damaged_count == 1);
    CHECK(file.diagnostics().missing_chunk_count == 1);
    trace::RecordBlock block;
    CHECK_FALSE(file.next(block));
}

TEST_CASE("a long trace need not be read to its end") {
    TraceBuilder trace;
    trace.process("app").metadata_block();
    for (unsigned i = 0; i < 50; ++i) trace.records(1, call(i, 100 + 100 * i));
    TraceFile file = open(trace);
    trace::RecordBlock block;
    CHECK(file.next(block));
    TraceFile moved = std::move(file);
    CHECK(moved.next(block));
    CHECK(block.first_chunk == 1);
}

TEST_CASE("chunk numbers that are missing or there twice are told") {
    TraceBuilder trace;
    trace.process("app").metadata_block().records(1, call(1, 100)).skip_chunks(1, 5).records(1, call(2, 200));
    TraceBuilder again;
    again.records(1, call(1, 100));
    trace.raw(again.bytes().data(), again.bytes().size());
    TraceFile file = open(trace);
    CHECK(read_all(file).size() == 2);
    REQUIRE(file.diagnostics().missing_chunks.size() == 1);
    CHECK(file.diagnostics().missing_chunks[0].first == 1);
    CHECK(file.diagnostics().missing_chunk_count == 5);
    CHECK(file.diagnostics().duplicate_chunk_count == 1);
}

TEST_CASE("a block may hold several chunks with torn slots in them") {
    std::vector<format::Slot> slots;
    for (unsigned i = 0; i < 100; ++i) {
        for (const format::Slot& slot : call(i, 100 + 100 * i)) slots.push_back(slot);
        if (i % 10 == 0) slots.push_back(torn());
    }
    TraceBuilder trace;
    trace.process("app").metadata_block().records(1, slots, 30);
    TraceFile file = open(trace);
    trace::RecordBlock block;
    REQUIRE(file.next(block));
    CHECK(block.chunk_count == 7);
    CHECK(block.torn_count == 10);
    CHECK(block.records.events.size() == 200);
    CHECK_FALSE(file.next(block));
}

TEST_CASE("late areas are read as the last chunks of their threads") {
    TraceBuilder trace;
    small_trace(trace);
    std::vector<format::Slot> slots = call(5, 500);
    slots.push_back(torn());
    for (const format::Slot& slot : call(6, 600)) slots.push_back(slot);
    trace.late_area(2, 4712, slots, 50).late_area(1, 4711, {}, 10);
    TraceFile file = open(trace);
    const std::vector<ReadBlock> blocks = read_all(file);
    REQUIRE(blocks.size() == 5);
    std::erase_if(slots, [](const format::Slot& slot) { return slot.time_word == 0; });
    CHECK(blocks[3] == ReadBlock{2, 1, 1, false, true, slots});
    CHECK(blocks[3].late);
    CHECK_FALSE(blocks[3].live);
    CHECK(blocks[3].torn_count == 1);  // the slots behind the last record were never claimed
    CHECK(blocks[4].slots.empty());
    CHECK(file.diagnostics().clean());
}

TEST_CASE("records that found no late area are told: all are used up, or a thread's last one is full") {
    const auto contradictions = [](uint32_t areas, uint32_t room) {
        TraceBuilder trace;
        small_trace(trace);
        for (uint32_t i = 0; i < areas; ++i) trace.late_area(1, 4711, call(1, 900 + 100 * i), room);
        TraceFile file = open(trace);
        CHECK(read_all(file).size() == 3 + areas);
        return file.diagnostics().contradiction_count;
    };
    CHECK(contradictions(2, 3) == 0);
    CHECK(contradictions(2, 2) == 1);
    CHECK(contradictions(255, 3) == 0);
    CHECK(contradictions(256, 3) == 1);
}

TEST_CASE("a live file in a trace's place is refused with what to do") {
    const std::vector<uint8_t> live = LiveFileBuilder(format::ProcessItem{}).bytes();
    CHECK_THROWS_WITH_AS(TraceFile::from_bytes(live, "x.live"),
                         "x.live is a live file, the rings of a process: name the trace that it lies beside, and it is read along", trace::TraceError);
}

TEST_CASE("skippable frames of others and unknown metadata are passed over") {
    TraceBuilder trace;
    trace.process("app").item(999, "whatever", 8).metadata_block();
    const uint32_t other[3] = {0x184D2A5F, 4, 0xdeadbeef};
    trace.raw(other, sizeof other).records(1, call(1, 100));
    TraceFile file = open(trace);
    CHECK(read_all(file).size() == 1);
    CHECK(file.diagnostics().clean());
}

TEST_CASE("a block header may be longer than this version's") {
    // The frame writer puts 56 bytes of header; eight more stand at the front of what it takes for the payload.
    format::BlockHeader header{};
    header.kind = static_cast<uint8_t>(format::BlockKind::kMetadata);
    header.header_bytes = sizeof header + 8;
    std::vector<uint8_t> payload(8 + sizeof(format::ItemHeader) + sizeof(format::HookCostItem), 0);
    const format::ItemHeader item{static_cast<uint16_t>(format::ItemType::kHookCost), 0, sizeof(format::HookCostItem)};
    std::memcpy(payload.data() + 8, &item, sizeof item);
    payload[8 + sizeof item] = 42;
    header.payload_bytes = static_cast<uint32_t>(payload.size() - 8);
    TraceBuilder trace;
    trace.frame(header, payload);
    const TraceFile file = open(trace);
    CHECK(file.diagnostics().clean());
    CHECK(file.metadata().hook_inner_ps == 42);
}

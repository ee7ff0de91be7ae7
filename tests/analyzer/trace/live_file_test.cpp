#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <filesystem>

#include "analyzer/trace/reading.h"

using namespace fnprof;
using namespace fnprof::testing;
using format::ChunkUse;
using trace::TraceFile;

namespace {

// A killed process: its first block and two blocks of records are in the file, the rest is in its rings.
void killed_trace(TraceBuilder& trace) {
    trace.process("app").metadata_block().records(1, call(1, 100)).records(1, call(2, 200));
}

TraceFile open(const TraceBuilder& trace, const LiveFileBuilder& live) {
    return TraceFile::from_bytes(trace.bytes(), "test trace", live.bytes());
}

std::vector<format::Slot> joined(std::vector<format::Slot> a, const std::vector<format::Slot>& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
}

}  // namespace

TEST_CASE("open and published chunks of the live file follow the blocks of the trace") {
    TraceBuilder trace;
    killed_trace(trace);
    LiveFileBuilder live(trace.process_item);
    live.add_ring(4);
    live.add_chunk(0, 1, 3, ChunkUse::kOpen, call(4, 400));
    live.add_chunk(1, 1, 1, ChunkUse::kFree, call(9, 900));
    live.add_chunk(3, 1, 2, ChunkUse::kPublished, call(3, 300));
    live.add_ring(2);
    live.add_chunk(1, 2, 0, ChunkUse::kOpen, call(5, 500));
    TraceFile file = open(trace, live);
    CHECK(file.record_count() == 10);
    const std::vector<ReadBlock> blocks = read_all(file);
    REQUIRE(blocks.size() == 5);
    CHECK(blocks[1] == ReadBlock{1, 1, 0, false, false, call(2, 200)});
    CHECK(blocks[2] == ReadBlock{1, 2, 0, true, false, call(3, 300)});
    CHECK(blocks[3] == ReadBlock{1, 3, 0, true, false, call(4, 400)});
    CHECK(blocks[4] == ReadBlock{2, 0, 0, true, false, call(5, 500)});
    CHECK_FALSE(blocks[1].live);
    CHECK(blocks[2].live);
    CHECK(file.diagnostics().live_file_read);
    CHECK(file.diagnostics().live_chunk_count == 3);
    CHECK(file.diagnostics().clean());
}

TEST_CASE("a block that the process was writing when it was killed is no loss while its chunk is in the live file") {
    TraceBuilder trace;
    killed_trace(trace);
    const size_t whole = trace.bytes().size();
    trace.records(1, call(3, 300));
    LiveFileBuilder live(trace.process_item);
    live.add_ring(4);
    uint64_t number = 0;
    SUBCASE("its chunk is still there") { number = 2; }
    SUBCASE("another chunk is") { number = 3; }
    live.add_chunk(0, 1, number, ChunkUse::kPublished, call(3, 300));
    std::vector<uint8_t> cut = trace.bytes();
    cut.resize(cut.size() - 9);
    TraceFile file = TraceFile::from_bytes(cut, "test trace", live.bytes());
    CHECK(file.record_count() == 6);
    if (number == 2) {
        CHECK(file.diagnostics().clean());
    } else {
        CHECK(file.diagnostics().truncated_at == whole);
        CHECK(file.diagnostics().missing_chunk_count == 1);
    }
}

TEST_CASE("a chunk that is in the trace and in the live file counts once") {
    TraceBuilder trace;
    killed_trace(trace);
    LiveFileBuilder live(trace.process_item);
    live.add_ring(2);
    live.add_chunk(0, 1, 1, ChunkUse::kPublished, call(2, 200));
    live.add_chunk(1, 1, 2, ChunkUse::kOpen, call(3, 300));
    TraceFile file = open(trace, live);
    CHECK(read_all(file).size() == 3);
    CHECK(file.record_count() == 6);
    CHECK(file.diagnostics().live_chunk_count == 1);
    CHECK(file.diagnostics().clean());
}

TEST_CASE("uncommitted slots are torn where slots were claimed behind them, and in published chunks") {
    TraceBuilder trace;
    killed_trace(trace);
    const std::vector<format::Slot> holes = joined(joined({torn()}, call(3, 300)), {torn(), torn()});
    LiveFileBuilder live(trace.process_item);
    live.add_ring(2);
    live.add_chunk(0, 1, 2, ChunkUse::kPublished, holes);
    live.add_chunk(1, 1, 3, ChunkUse::kOpen, holes);
    TraceFile file = open(trace, live);
    const std::vector<ReadBlock> blocks = read_all(file);
    REQUIRE(blocks.size() == 4);
    CHECK(blocks[2].torn_count == 3);
    CHECK(blocks[3].torn_count == 1);
}

TEST_CASE("what an earlier use left in a chunk is not read as records") {
    TraceBuilder trace;
    killed_trace(trace);
    LiveFileBuilder live(trace.process_item);
    live.add_ring(1);
    live.add_chunk(0, 1, 2, ChunkUse::kOpen, joined(call(3, 300), call(9, 150)), 290);
    TraceFile file = open(trace, live);
    CHECK(read_all(file).back() == ReadBlock{1, 2, 0, true, false, call(3, 300)});
}

TEST_CASE("a hook that was interrupted commits its enter into a chunk that is full by then; an exit that late is damage") {
    const std::vector<format::Slot> late = {enter(0x1000, 0x2000, 0x7000, 9'000'000), exit(0x1000, 0x2000, 0x7000, 2000)};
    for (const bool exit_is_late : {false, true}) {
        TraceBuilder trace;
        killed_trace(trace);
        LiveFileBuilder live(trace.process_item);
        live.add_ring(1);
        std::vector<format::Slot> slots = late;
        if (exit_is_late) slots[1] = exit(0x1000, 0x2000, 0x7000, 9'000'100);
        live.add_chunk(0, 1, 2, ChunkUse::kPublished, slots, 0, 3000);
        TraceFile file = open(trace, live);
        CHECK(read_all(file).back() == ReadBlock{1, 2, 0, true, false, slots});
        CHECK(file.diagnostics().contradiction_count == (exit_is_late ? 1 : 0));
    }
}

TEST_CASE("an open chunk without records is no block") {
    TraceBuilder trace;
    killed_trace(trace);
    LiveFileBuilder live(trace.process_item);
    live.add_ring(1);
    live.add_chunk(0, 1, 2, ChunkUse::kOpen, {});
    TraceFile file = open(trace, live);
    CHECK(read_all(file).size() == 2);
    CHECK(file.diagnostics().clean());
}

TEST_CASE("a live file of another process, version or kind is left out and told") {
    TraceBuilder trace;
    killed_trace(trace);
    const auto left_out = [&](auto change) {
        LiveFileBuilder live(trace.process_item);
        live.add_ring(1);
        live.add_chunk(0, 1, 2, ChunkUse::kOpen, call(3, 300));
        change(live.header);
        TraceFile file = open(trace, live);
        return read_all(file).size() == 2 && file.diagnostics().remarks.size() == 1;
    };
    CHECK(left_out([](format::LiveHeader& header) { header.pid++; }));
    CHECK(left_out([](format::LiveHeader& header) { header.process_start++; }));
    CHECK(left_out([](format::LiveHeader& header) { header.boot_id[0] ^= 1; }));
    CHECK(left_out([](format::LiveHeader& header) { header.magic[0] ^= 1; }));
    CHECK(left_out([](format::LiveHeader& header) { header.version = format::kVersion + 1; }));
}

TEST_CASE("a ring that does not hold together is passed over and told, and the others count") {
    TraceBuilder trace;
    killed_trace(trace);
    LiveFileBuilder live(trace.process_item);
    live.add_ring(1);
    live.add_chunk(0, 1, 2, ChunkUse::kOpen, call(3, 300));
    live.add_ring(1);
    live.add_chunk(0, 2, 0, ChunkUse::kOpen, call(4, 400));
    live.add_ring(1);
    live.add_chunk(0, 3, 0, ChunkUse::kOpen, call(5, 500));
    std::vector<uint8_t> bytes = live.bytes();
    const size_t second = format::kPageBytes + format::ring_area_bytes(1);
    SUBCASE("its magic is gone") { bytes[second] ^= 1; }
    SUBCASE("its chunk count is impossible") { bytes[second + 7] = 0x7f; }
    SUBCASE("its size is impossible") { bytes[second + 8] ^= 1; }
    TraceFile file = TraceFile::from_bytes(trace.bytes(), "test trace", bytes);
    CHECK(read_all(file).size() == 4);
    CHECK(file.diagnostics().remarks.size() == 1);
}

TEST_CASE("a ring whose last chunks were never used may reach beyond the end of the file") {
    TraceBuilder trace;
    killed_trace(trace);
    LiveFileBuilder live(trace.process_item);
    live.add_ring(16);
    live.add_chunk(0, 1, 2, ChunkUse::kPublished, call(3, 300));
    live.add_chunk(1, 1, 3, ChunkUse::kOpen, call(4, 400));
    std::vector<uint8_t> bytes = live.bytes();
    bytes.resize(format::kPageBytes + format::ring_header_bytes(16) + 2 * format::kChunkBytes);
    TraceFile file = TraceFile::from_bytes(trace.bytes(), "test trace", bytes);
    CHECK(read_all(file).size() == 4);
    CHECK(file.diagnostics().clean());
    bytes.resize(bytes.size() - 1);
    TraceFile cut = TraceFile::from_bytes(trace.bytes(), "test trace", bytes);
    CHECK(read_all(cut).size() == 3);
    CHECK(cut.diagnostics().remarks.size() == 1);
}

TEST_CASE("chunks that had no room on the disk are told as lost, not as torn, unless they are in the trace") {
    TraceBuilder trace;
    killed_trace(trace);
    LiveFileBuilder live(trace.process_item);
    live.add_ring(4);
    live.add_chunk(0, 2, 0, ChunkUse::kPublished, call(3, 300));
    live.add_chunk(1, 2, 1, ChunkUse::kPublished, call(4, 400));
    live.add_chunk(2, 2, 2, ChunkUse::kOpen, call(5, 500));
    live.add_chunk(3, 1, 1, ChunkUse::kPublished, call(2, 200));
    std::vector<uint8_t> bytes = live.bytes();
    const size_t chunks = format::kPageBytes + format::ring_header_bytes(4);
    std::fill_n(bytes.begin() + static_cast<ptrdiff_t>(chunks), 4 * size_t{format::kChunkBytes}, uint8_t{0});
    SUBCASE("they read as zeros") {}
    SUBCASE("the file ends before them") { bytes.resize(chunks); }
    bytes[offsetof(format::LiveHeader, lost_records)] = 100;
    TraceFile file = TraceFile::from_bytes(trace.bytes(), "test trace", bytes);
    const std::vector<ReadBlock> blocks = read_all(file);
    REQUIRE(blocks.size() == 2);
    CHECK(blocks[1] == ReadBlock{1, 1, 0, false, false, call(2, 200)});
    CHECK(file.record_count() == 4);
    CHECK(file.diagnostics().remarks.size() == 3);
    CHECK(file.diagnostics().missing_chunk_count == 3);
    // Two published chunks of two records each; of the open one nobody knows.
    CHECK(file.diagnostics().lost_record_count == 100 + 2 + 2);
    CHECK(file.diagnostics().live_chunk_count == 0);
}

TEST_CASE("a live file that was only just created is as good as none") {
    TraceBuilder trace;
    killed_trace(trace);
    for (const size_t size : {size_t{10}, size_t{format::kPageBytes}}) {
        TraceFile file = TraceFile::from_bytes(trace.bytes(), "test trace", std::vector<uint8_t>(size));
        CHECK(read_all(file).size() == 2);
        CHECK(file.diagnostics().clean());
    }
}

TEST_CASE("a live file beside the trace is found by its name") {
    const std::filesystem::path directory = std::filesystem::temp_directory_path() / ("fnprof_live_test." + std::to_string(getpid()));
    std::filesystem::create_directories(directory);
    TraceBuilder trace;
    killed_trace(trace);
    LiveFileBuilder live(trace.process_item);
    live.add_ring(1);
    live.add_chunk(0, 1, 2, ChunkUse::kOpen, call(3, 300));
    trace.write_file(directory / "trace.zst");
    live.write_file(directory / "trace.zst.live");
    TraceFile file(directory / "trace.zst");
    CHECK(read_all(file).size() == 3);
    std::filesystem::remove_all(directory);
}

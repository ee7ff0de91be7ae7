#include <algorithm>
#include <map>
#include <random>

#include "analyzer/trace/reading.h"
#include "support/streams.h"

using namespace fnprof;
using namespace fnprof::testing;
using trace::TraceError;
using trace::TraceFile;

namespace {

// Whether each block of `part` is one of `whole`, and each thread's are in order.
bool is_part(const std::vector<ReadBlock>& part, const std::vector<ReadBlock>& whole) {
    std::map<uint32_t, size_t> at;
    for (const ReadBlock& block : part) {
        size_t& next = at[block.thread];
        while (next < whole.size() && !(whole[next] == block)) ++next;
        if (next == whole.size()) return false;
        ++next;
    }
    return true;
}

}  // namespace

TEST_CASE("a trace cut at any byte gives every whole block before the cut") {
    TraceBuilder trace;
    small_trace(trace);
    TraceFile whole_file = open(trace);
    const std::vector<ReadBlock> whole = read_all(whole_file);
    const std::vector<uint64_t>& frames = trace.frame_offsets();  // metadata, three blocks of records, metadata, seek table
    for (size_t size = frames[1]; size < trace.bytes().size(); ++size) {
        CAPTURE(size);
        TraceFile file = TraceFile::from_bytes({trace.bytes().begin(), trace.bytes().begin() + static_cast<ptrdiff_t>(size)}, "cut");
        const std::vector<ReadBlock> blocks = read_all(file);
        size_t expected = 0;
        uint64_t last_frame = 0;
        for (size_t i = 0; i < frames.size(); ++i) {
            if (i >= 2 && i <= 4 && frames[i] <= size) ++expected;
            if (frames[i] <= size) last_frame = frames[i];
        }
        REQUIRE(blocks.size() == expected);
        REQUIRE(is_part(blocks, whole));
        const trace::Diagnostics& diagnostics = file.diagnostics();
        REQUIRE(diagnostics.damaged_count == 0);
        REQUIRE(diagnostics.truncated_at.has_value() == (size != last_frame));
        if (diagnostics.truncated_at) REQUIRE(*diagnostics.truncated_at == last_frame);
    }
    for (size_t size = 0; size < frames[1]; ++size) {
        const std::vector<uint8_t> cut(trace.bytes().begin(), trace.bytes().begin() + static_cast<ptrdiff_t>(size));
        CHECK_THROWS_AS(TraceFile::from_bytes(cut, "cut"), TraceError);
    }
}

TEST_CASE("a flipped bit costs at most the block that it is in, and is told") {
    TraceBuilder trace;
    small_trace(trace);
    TraceFile whole_file = open(trace);
    const std::vector<ReadBlock> whole = read_all(whole_file);
    const std::vector<uint64_t>& frames = trace.frame_offsets();
    for (size_t bit = 0; bit < 8 * frames.back(); ++bit) {
        CAPTURE(bit);
        std::vector<uint8_t> bytes = trace.bytes();
        bytes[bit / 8] ^= static_cast<uint8_t>(1 << bit % 8);
        TraceFile file = [&]() -> TraceFile {
            try {
                return TraceFile::from_bytes(bytes, "flipped");
            } catch (const TraceError&) {  // the first block's magic, version or size: as good as something else
                REQUIRE(bit / 8 < frames[1]);
                return open(trace);
            }
        }();
        const std::vector<ReadBlock> blocks = read_all(file);
        REQUIRE(is_part(blocks, whole));
        REQUIRE(blocks.size() + 1 >= whole.size());
        if (blocks.size() < whole.size()) REQUIRE_FALSE(file.diagnostics().clean());
        const bool in_metadata = bit / 8 < frames[1] || bit / 8 >= frames[4];
        if (in_metadata) REQUIRE(blocks.size() == whole.size());
    }
}

TEST_CASE("after a stretch of garbage the reader finds the next block") {
    TraceBuilder trace;
    trace.process("app").metadata_block();
    StepClock clock(1, 50, 1);
    for (unsigned i = 0; i < 6; ++i) trace.records(1, random_walk(clock, 50, 2000, i));
    TraceFile whole_file = open(trace);
    const std::vector<ReadBlock> whole = read_all(whole_file);
    REQUIRE(whole.size() == 6);
    std::mt19937 random(1);
    const std::vector<uint64_t>& frames = trace.frame_offsets();
    SUBCASE("overwritten") {
        std::vector<uint8_t> bytes = trace.bytes();
        for (uint64_t at = frames[2] + 7; at < frames[4] - 11; ++at) bytes[at] = static_cast<uint8_t>(random());
        TraceFile file = TraceFile::from_bytes(bytes, "damaged");
        const std::vector<ReadBlock> blocks = read_all(file);
        CHECK(blocks.size() == 4);
        CHECK(is_part(blocks, whole));
        CHECK(file.diagnostics().missing_chunk_count == 2);
        CHECK(file.diagnostics().damaged_count >= 1);
    }
    SUBCASE("cut out") {
        std::vector<uint8_t> bytes = trace.bytes();
        bytes.erase(bytes.begin() + static_cast<ptrdiff_t>(frames[3] - 100), bytes.begin() + static_cast<ptrdiff_t>(frames[3] + 100));
        TraceFile file = TraceFile::from_bytes(bytes, "damaged");
        const std::vector<ReadBlock> blocks = read_all(file);
        CHECK(blocks.size() == 4);
        CHECK(is_part(blocks, whole));
    }
    SUBCASE("put in between") {
        std::vector<uint8_t> bytes = trace.bytes();
        bytes.insert(bytes.begin() + static_cast<ptrdiff_t>(frames[3]), 200000, 0x28);
        TraceFile file = TraceFile::from_bytes(bytes, "damaged");
        CHECK(read_all(file).size() == 6);
        REQUIRE(file.diagnostics().damaged_blocks.size() == 1);
        CHECK(file.diagnostics().damaged_blocks[0].offset == frames[3]);
        CHECK(file.diagnostics().damaged_blocks[0].bytes == 200000);
    }
    SUBCASE("at the beginning") {
        std::vector<uint8_t> bytes = trace.bytes();
        for (uint64_t at = 0; at < frames[1]; ++at) bytes[at] = static_cast<uint8_t>(random());
        TraceFile file = TraceFile::from_bytes(bytes, "damaged");
        CHECK(read_all(file).size() == 6);
        CHECK_FALSE(file.metadata().has_process);
        CHECK(file.diagnostics().damaged_blocks.at(0).bytes == frames[1]);
    }
}

TEST_CASE("a length that is too long does not swallow the blocks behind it") {
    TraceBuilder trace;
    small_trace(trace);
    std::vector<uint8_t> bytes = trace.bytes();
    // The first zstd block of a frame holds the 56 bytes of the header, uncompressed; its size is in the 3 bytes before. Larger by
    // 32, the header still reads as one.
    constexpr uint8_t kMagic[4] = {0x46, 0x4e, 0x50, 0x42};
    const auto magic = std::search(bytes.begin() + static_cast<ptrdiff_t>(trace.frame_offsets()[2]), bytes.end(), kMagic, kMagic + 4);
    REQUIRE(magic != bytes.end());
    *(magic - 2) = static_cast<uint8_t>(*(magic - 2) + 1);
    TraceFile file = TraceFile::from_bytes(bytes, "damaged");
    CHECK(read_all(file).size() == 2);
    CHECK(file.diagnostics().damaged_count >= 1);
    CHECK(file.metadata().end.has_value());
}

TEST_CASE("headers that promise the impossible are refused before anything is allocated for them") {
    const auto refused = [](auto change) {
        TraceBuilder trace;
        trace.process("app").metadata_block();
        TraceBuilder good;
        good.records(1, call(1, 100));
        format::BlockHeader header{};
        header.kind = static_cast<uint8_t>(format::BlockKind::kRecords);
        header.chunk_count = 1;
        std::vector<uint8_t> payload(100);
        change(header, payload);
        trace.frame(header, payload).raw(good.bytes().data(), good.bytes().size());
        TraceFile file = open(trace);
        return read_all(file).size() == 1 && file.diagnostics().damaged_count == 1;
    };
    using Header = format::BlockHeader;
    using Payload = std::vector<uint8_t>;
    CHECK(refused([](Header& header, Payload&) { header.kind = 77; }));
    CHECK(refused([](Header& header, Payload&) { header.header_bytes = 55; }));
    CHECK(refused([](Header& header, Payload&) { header.header_bytes = 60; }));
    CHECK(refused([](Header& header, Payload&) { header.chunk_count = 0; }));
    CHECK(refused([](Header& header, Payload&) { header.chunk_count = format::kMaxChunksPerBlock + 1; }));
    CHECK(refused([](Header& header, Payload&) { header.first_chunk = UINT64_MAX; }));
    CHECK(refused([](Header& header, Payload&) { header.record_count = format::kSlotsPerChunk + 1; }));
    CHECK(refused([](Header& header, Payload&) { header.torn_count = UINT32_MAX; }));
    CHECK(refused([](Header& header, Payload&) { header.record_count = 5; }));  // the payload holds none
    CHECK(refused([](Header&, Payload& payload) { payload.resize(2 << 20); }));
    CHECK(refused([](Header& header, Payload&) { header.version = format::kVersion + 1; }));
}

TEST_CASE("a broken late area is told and passed over") {
    TraceBuilder trace;
    small_trace(trace);
    TraceBuilder area;
    area.late_area(1, 2, call(1, 900), 4);
    std::vector<uint8_t> bytes = trace.bytes();
    const size_t at = bytes.size();
    bytes.insert(bytes.end(), area.bytes().begin(), area.bytes().end());
    TraceBuilder more;
    more.skip_chunks(1, 2).records(1, call(7, 700));
    bytes.insert(bytes.end(), more.bytes().begin(), more.bytes().end());
    SUBCASE("without its magic") { bytes[at + 8] ^= 1; }
    SUBCASE("with more slots than bytes") { bytes[at + 12] = 5; }
    TraceFile file = TraceFile::from_bytes(bytes, "damaged");
    CHECK(read_all(file).size() == 4);
    REQUIRE(file.diagnostics().damaged_blocks.size() == 1);
    CHECK(file.diagnostics().damaged_blocks[0].offset == at);
}

#include "src/frame.h"

#include <doctest/doctest.h>
#include <zstd.h>

#include <cstring>
#include <memory>

#include "format/round_trip.h"
#include "support/streams.h"

using namespace fnprof;
using namespace fnprof::format;
using namespace fnprof::testing;

namespace {

std::unique_ptr<rt::FrameWriter> writer(int level) {
    std::unique_ptr<rt::FrameWriter> frames(new rt::FrameWriter{});
    REQUIRE(frames->start(level));
    return frames;
}

std::vector<uint8_t> decompress(const std::vector<uint8_t>& frame) {
    std::vector<uint8_t> content(ZSTD_getFrameContentSize(frame.data(), frame.size()));
    REQUIRE(ZSTD_decompress(content.data(), content.size(), frame.data(), frame.size()) == content.size());
    return content;
}

std::vector<uint8_t> write(rt::FrameWriter& frames, const Coded& coded) {
    BlockHeader header{};
    header.magic = kBlockMagic;
    header.payload_bytes = coded.result.payload_bytes;
    std::vector<uint8_t> frame(rt::frame_bound(coded.payload.size()));
    frame.resize(frames.write(header, coded.payload.data(), frame.data(), frame.size()));
    return frame;
}

}  // namespace

TEST_CASE("a frame holds the header and the payload, at every level") {
    StepClock clock(1, 40, 1);
    const Coded coded = encode(random_walk(clock, 100, 5000, 1));
    for (int level = -5; level <= 19; ++level) {
        const std::vector<uint8_t> content = decompress(write(*writer(level), coded));
        REQUIRE(content.size() == sizeof(BlockHeader) + coded.payload.size());
        CHECK(std::memcmp(content.data() + sizeof(BlockHeader), coded.payload.data(), coded.payload.size()) == 0);
    }
}

TEST_CASE("a frame of incompressible records fits in its bound") {
    const Coded coded = encode(noise(kMaxRecordsPerBlock, 1));
    const std::vector<uint8_t> frame = write(*writer(1), coded);
    CHECK_FALSE(frame.empty());
    CHECK(decompress(frame).size() == sizeof(BlockHeader) + coded.payload.size());
}

TEST_CASE("a writer makes many frames, each on its own") {
    const auto frames = writer(1);
    StepClock clock(1, 40, 1);
    const Coded coded = encode(random_walk(clock, 100, 5000, 1));
    const std::vector<uint8_t> first = write(*frames, coded);
    write(*frames, encode(noise(1000, 1)));
    CHECK(write(*frames, coded) == first);
}

TEST_CASE("the columns given one by one make the same content") {
    StepClock clock(1, 40, 1);
    std::vector<Slot> slots = random_walk(clock, 100, 5000, 1);
    EncoderWorkspace& work = workspace();
    const ChunkInput chunk{slots.data(), kSlotsPerChunk, 0};
    std::vector<uint8_t> out(encoded_bound(kSlotsPerChunk));
    const EncodeResult result = encode_block(work, &chunk, 1, TornPolicy::kSkip, out.data(), out.size());
    BlockHeader header{};
    header.payload_bytes = result.payload_bytes;
    std::vector<uint8_t> frame(rt::frame_bound(result.payload_bytes));
    frame.resize(writer(1)->write(header, result.columns, result.column_count, frame.data(), frame.size()));
    const std::vector<uint8_t> content = decompress(frame);
    REQUIRE(content.size() == sizeof header + result.payload_bytes);
    CHECK(std::memcmp(content.data(), &header, sizeof header) == 0);
    CHECK(std::memcmp(content.data() + sizeof header, out.data(), result.payload_bytes) == 0);
}

TEST_CASE("the block header is the first thing that a reader gets out of a frame, alone") {
    const std::vector<uint8_t> frame = write(*writer(1), encode(noise(2000, 1)));
    const std::unique_ptr<ZSTD_DCtx, size_t (*)(ZSTD_DCtx*)> context(ZSTD_createDCtx(), ZSTD_freeDCtx);
    BlockHeader header{};
    ZSTD_outBuffer out{&header, sizeof header, 0};
    ZSTD_inBuffer in{frame.data(), 80, 0};  // frame header, block header, 56 bytes
    CHECK_FALSE(ZSTD_isError(ZSTD_decompressStream(context.get(), &out, &in)));
    CHECK(out.pos == sizeof header);
    CHECK(header.magic == kBlockMagic);
}

TEST_CASE("a frame without room is not written, and the writer is fit for the next one") {
    const auto frames = writer(1);
    const Coded coded = encode(noise(2000, 1));
    BlockHeader header{};
    header.payload_bytes = coded.result.payload_bytes;
    std::vector<uint8_t> frame(rt::frame_bound(coded.payload.size()));
    CHECK(frames->write(header, coded.payload.data(), frame.data(), 1000) == 0);
    CHECK(frames->write(header, coded.payload.data(), frame.data(), frame.size()) != 0);
}

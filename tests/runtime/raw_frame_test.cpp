#include "raw_frame.h"

#include <doctest/doctest.h>
#include <zstd.h>
#include <algorithm>
#include <cstring>
#include <random>
#include <string>
#include <vector>
#include "items.h"

using namespace fnprof::rt;
namespace format = fnprof::format;

namespace {

format::BlockHeader metadata_header(size_t payload_bytes) {
    format::BlockHeader header{};
    header.magic = format::kBlockMagic;
    header.version = format::kVersion;
    header.kind = static_cast<uint8_t>(format::BlockKind::kMetadata);
    header.header_bytes = sizeof header;
    header.payload_bytes = static_cast<uint32_t>(payload_bytes);
    return header;
}

std::vector<uint8_t> make_frame(const std::vector<uint8_t>& payload) {
    std::vector<uint8_t> frame(raw_frame_bytes(payload.size()));
    const size_t written = write_raw_frame(frame.data(), metadata_header(payload.size()), payload.data());
    CHECK(written == frame.size());
    return frame;
}

std::vector<uint8_t> random_bytes(size_t bytes) {
    std::mt19937 random(static_cast<unsigned>(bytes));
    std::vector<uint8_t> result(bytes);
    for (uint8_t& byte : result) byte = static_cast<uint8_t>(random());
    return result;
}

std::vector<uint8_t> frame_of_process(const format::ProcessItem& process) {
    ItemWriter writer;
    writer.write(format::ItemType::kProcess, process);
    std::vector<uint8_t> frame = make_frame({writer.data(), writer.data() + writer.size()});
    writer.release();
    return frame;
}

uint64_t hash_of(const std::string& text) {
    ContentHash hash;
    hash.add(text.data(), text.size());
    return hash.value();
}

}  // namespace

TEST_CASE("zstd reads a raw frame of any size, checksum included") {
    for (size_t bytes :
         {size_t{0}, size_t{1}, size_t{31}, size_t{176}, size_t{131071}, size_t{131072}, size_t{131073}, size_t{400000}}) {
        CAPTURE(bytes);
        const std::vector<uint8_t> payload = random_bytes(bytes);
        const std::vector<uint8_t> frame = make_frame(payload);
        std::vector<uint8_t> content(sizeof(format::BlockHeader) + bytes);
        CHECK(ZSTD_getFrameContentSize(frame.data(), frame.size()) == content.size());
        const size_t n = ZSTD_decompress(content.data(), content.size(), frame.data(), frame.size());
        REQUIRE_MESSAGE(!ZSTD_isError(n), ZSTD_getErrorName(n));
        REQUIRE(n == content.size());
        const format::BlockHeader header = metadata_header(bytes);
        CHECK(std::memcmp(content.data(), &header, sizeof header) == 0);
        CHECK(std::equal(payload.begin(), payload.end(), content.begin() + sizeof header));
    }
}

TEST_CASE("a damaged raw frame fails its checksum") {
    std::vector<uint8_t> frame = make_frame(random_bytes(1000));
    frame[500] ^= 1;
    std::vector<uint8_t> content(2000);
    CHECK(ZSTD_isError(ZSTD_decompress(content.data(), content.size(), frame.data(), frame.size())));
}

TEST_CASE("the hash is XXH64") {
    // Published values of the reference implementation, seed 0.
    CHECK(hash_of("") == 0xEF46DB3751D8E999);
    CHECK(hash_of("a") == 0xD24EC4F1A98C6E5B);
    CHECK(hash_of("abc") == 0x44BC2CF5AD770999);
}

TEST_CASE("the hash does not depend on how the bytes come in") {
    const std::vector<uint8_t> bytes = random_bytes(300);
    ContentHash whole;
    whole.add(bytes.data(), bytes.size());
    for (size_t first = 0; first <= 100; first += 7)
        for (size_t second = first; second <= 200; second += 13) {
            ContentHash pieces;
            pieces.add(bytes.data(), first);
            pieces.add(bytes.data() + first, second - first);
            pieces.add(bytes.data() + second, bytes.size() - second);
            CHECK(pieces.value() == whole.value());
        }
}

TEST_CASE("a trace's first bytes tell whose it is") {
    format::ProcessItem process{};
    for (uint8_t i = 0; i < 16; i++) process.boot_id[i] = static_cast<uint8_t>(i + 1);
    process.pid = 4711;
    process.parent_pid = 42;
    process.process_start = 123456;
    process.image = 3;
    const std::vector<uint8_t> frame = frame_of_process(process);
    TraceOwner owner;
    REQUIRE(read_origin(frame.data(), std::min(frame.size(), kOriginBytes), owner) == FileOrigin::kTrace);
    CHECK(std::memcmp(owner.process.boot_id, process.boot_id, 16) == 0);
    CHECK(owner.process.pid == 4711);
    CHECK(owner.process.parent_pid == 42);
    CHECK(owner.process.process_start == 123456);
    CHECK(owner.image == 3);
}

TEST_CASE("a trace cut within its first item is a trace of nobody") {
    format::ProcessItem process{};
    process.pid = 4711;
    const std::vector<uint8_t> frame = frame_of_process(process);
    TraceOwner owner;
    REQUIRE(read_origin(frame.data(), 100, owner) == FileOrigin::kTrace);
    CHECK(owner.process.pid == 0);
}

TEST_CASE("what is no trace is somebody's data") {
    TraceOwner owner;
    CHECK(read_origin(nullptr, 0, owner) == FileOrigin::kEmpty);
    const std::string text(300, 'x');
    CHECK(read_origin(reinterpret_cast<const uint8_t*>(text.data()), text.size(), owner) == FileOrigin::kForeign);
    std::vector<uint8_t> other(1000);
    other.resize(ZSTD_compress(other.data(), other.size(), text.data(), text.size(), 1));
    CHECK(read_origin(other.data(), other.size(), owner) == FileOrigin::kForeign);
    // The same frame as ours, with another program's content.
    const std::vector<uint8_t> frame = make_frame(random_bytes(300));
    std::vector<uint8_t> stranger = frame;
    stranger[12] ^= 1;
    CHECK(read_origin(stranger.data(), kOriginBytes, owner) == FileOrigin::kForeign);
    CHECK(read_origin(frame.data(), kOriginBytes, owner) == FileOrigin::kForeign);  // its first item is no process
    for (size_t n = 1; n < 68; n++) CHECK(read_origin(frame.data(), n, owner) == FileOrigin::kForeign);
}

// Small files that claim to be large, or become it. The program runs in half a gigabyte of address space (bounded_main.cpp).
#include <doctest/doctest.h>
#include <zstd.h>

#include <cstring>

#include "damaged_reading.h"
#include "format/layout.h"
#include "support/books.h"

using namespace fnprof;
using namespace fnprof::testing;

namespace {

// A sound trace with `frames` behind its first block.
void check(const TraceBuilder& frames, bool told) {
    const Sample& sample = samples().front();
    std::vector<uint8_t> trace = sample.trace;
    trace.insert(trace.begin() + static_cast<ptrdiff_t>(sample.frames[1]), frames.bytes().begin(), frames.bytes().end());
    const std::optional<model::Profile> profile = profile_of(trace, {});
    REQUIRE(profile);
    CHECK(imbalance_of(*profile) == "");
    CHECK(profile->total_calls() == profile_of(sample.trace, {}).value().total_calls());
    CHECK(profile->integrity.complete == !told);
}

std::vector<uint8_t> item(format::ItemType type, const std::vector<uint8_t>& content) {
    std::vector<uint8_t> bytes(sizeof(format::ItemHeader));
    const format::ItemHeader header{static_cast<uint16_t>(type), 0, static_cast<uint32_t>(content.size())};
    std::memcpy(bytes.data(), &header, sizeof header);
    bytes.insert(bytes.end(), content.begin(), content.end());
    return bytes;
}

format::BlockHeader metadata() {
    format::BlockHeader header{};
    header.kind = static_cast<uint8_t>(format::BlockKind::kMetadata);
    return header;
}

}  // namespace

TEST_CASE("a frame that claims a content of any size takes no memory for it") {
    // Magic, single segment with a content size of 8 bytes, and one raw block of a block header that agrees with it.
    for (int shift = 20; shift < 63; ++shift) {
        CAPTURE(shift);
        const uint64_t content = (uint64_t{1} << shift) + sizeof(format::BlockHeader);
        std::vector<uint8_t> frame = {0x28, 0xb5, 0x2f, 0xfd, 0xe0};
        frame.resize(frame.size() + sizeof content);
        std::memcpy(frame.data() + 5, &content, sizeof content);
        format::BlockHeader header = metadata();
        header.magic = format::kBlockMagic;
        header.version = format::kVersion;
        header.header_bytes = sizeof header;
        header.payload_bytes = static_cast<uint32_t>(uint64_t{1} << shift);
        const uint32_t raw_block = sizeof header << 3;
        for (int byte = 0; byte < 3; ++byte) frame.push_back(static_cast<uint8_t>(raw_block >> 8 * byte));
        frame.resize(frame.size() + sizeof header);
        std::memcpy(frame.data() + frame.size() - sizeof header, &header, sizeof header);
        TraceBuilder frames;
        frames.raw(frame.data(), frame.size());
        check(frames, true);
    }
}

TEST_CASE("metadata of compressed zeros stays within its limit") {
    TraceBuilder frames;
    const std::vector<uint8_t> zeros(format::kMaxMetadataBytes);
    for (int block = 0; block < 3; ++block) frames.frame(metadata(), zeros);
    check(frames, true);  // more blocks than the table of the trace has
}

TEST_CASE("a process of sixteen million empty arguments is refused") {
    std::vector<uint8_t> content(sizeof(format::ProcessItem) + 12 + 4 + (size_t{16} << 22));
    const uint32_t count = 16 << 20;
    std::memcpy(content.data() + sizeof(format::ProcessItem) + 12, &count, sizeof count);
    content.resize(format::kMaxMetadataBytes - sizeof(format::ItemHeader));
    // Not at the beginning of its block: it is no other process's trace.
    std::vector<uint8_t> payload = item(format::ItemType::kClockPair, {});
    const std::vector<uint8_t> process = item(format::ItemType::kProcess, content);
    payload.insert(payload.end(), process.begin(), process.end() - 8);
    const auto bytes = static_cast<uint32_t>(content.size() - 8);
    std::memcpy(payload.data() + 8 + offsetof(format::ItemHeader, bytes), &bytes, sizeof bytes);
    TraceBuilder frames;
    frames.frame(metadata(), payload);
    check(frames, true);
}

TEST_CASE("modules that all lie over one another are given up, and told") {
    std::vector<uint8_t> payload;
    constexpr uint64_t kModules = 20'000;
    for (uint64_t i = 0; i < kModules; ++i) {
        format::ModuleItem module{static_cast<uint32_t>(100 + i), 0, 0, 0, 0x10000000 + i, 0x20000000 + i};
        std::vector<uint8_t> content(sizeof module + 8);
        std::memcpy(content.data(), &module, sizeof module);
        const std::vector<uint8_t> one = item(format::ItemType::kModule, content);
        payload.insert(payload.end(), one.begin(), one.end());
    }
    TraceBuilder frames;
    frames.frame(metadata(), payload);
    check(frames, true);
}

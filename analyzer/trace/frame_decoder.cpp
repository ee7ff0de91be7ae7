#include "trace/frame_decoder.h"

#include <zstd.h>

#include <cstring>
#include <new>

#include "format/encoder.h"

namespace fnprof::trace {

using format::BlockHeader;

namespace {

constexpr int kMaxWindowLog = 27;  // FORMAT.md allows no greater window

FrameHeader failed(FrameStatus status, std::string reason) {
    FrameHeader header;
    header.status = status;
    header.reason = std::move(reason);
    return header;
}

uint64_t payload_limit(uint8_t kind) {
    return kind == static_cast<uint8_t>(format::BlockKind::kRecords) ? format::encoded_bound(format::kMaxRecordsPerBlock)
                                                                     : format::kMaxMetadataBytes;
}

// What a decoder must refuse of a block header; empty when it is sound.
std::string fault_of(const BlockHeader& block, uint64_t content_bytes) {
    if (block.kind != static_cast<uint8_t>(format::BlockKind::kMetadata) && block.kind != static_cast<uint8_t>(format::BlockKind::kRecords)) {
        return "unknown kind of block";
    }
    if (block.header_bytes < sizeof(BlockHeader)) return "block header too short";
    if (block.payload_bytes > payload_limit(block.kind)) return "payload larger than allowed";
    if (content_bytes != uint64_t{block.header_bytes} + block.payload_bytes) return "block size and frame size differ";
    if (block.kind == static_cast<uint8_t>(format::BlockKind::kRecords)) {
        if (block.chunk_count == 0 || block.chunk_count > format::kMaxChunksPerBlock) return "impossible number of chunks";
        if (block.first_chunk > UINT64_MAX - block.chunk_count) return "impossible chunk number";
        if (uint64_t{block.record_count} + block.torn_count > uint64_t{block.chunk_count} * format::kSlotsPerChunk) {
            return "more records than the chunks can hold";
        }
    }
    return {};
}

}  // namespace

void FrameDecoder::Free::operator()(ZSTD_DCtx_s* context) const { ZSTD_freeDCtx(context); }

FrameDecoder::FrameDecoder() : context_(ZSTD_createDCtx()) {
    if (context_ == nullptr) throw std::bad_alloc();
    ZSTD_DCtx_setParameter(context_.get(), ZSTD_d_windowLogMax, kMaxWindowLog);
}

FrameHeader FrameDecoder::peek(std::span<const uint8_t> bytes) {
    const unsigned long long content = ZSTD_getFrameContentSize(bytes.data(), bytes.size());
    BlockHeader block{};
    ZSTD_outBuffer out{&block, sizeof block, 0};
    ZSTD_inBuffer in{bytes.data(), bytes.size(), 0};
    ZSTD_DCtx_reset(context_.get(), ZSTD_reset_session_only);
    while (out.pos < out.size) {
        const size_t before = in.pos + out.pos;
        const size_t result = ZSTD_decompressStream(context_.get(), &out, &in);
        if (ZSTD_isError(result)) return failed(FrameStatus::kDamaged, std::string("zstd: ") + ZSTD_getErrorName(result));
        if (result == 0 && out.pos < out.size) return failed(FrameStatus::kForeign, "frame shorter than a block header");
        if (in.pos + out.pos == before) return failed(FrameStatus::kCut, "cut within a block header");
    }
    if (block.magic != format::kBlockMagic) return failed(FrameStatus::kForeign, "no block header");
    if (block.version > format::kVersion) return failed(FrameStatus::kNewerVersion, "written by a newer version");
    if (content == ZSTD_CONTENTSIZE_UNKNOWN || content == ZSTD_CONTENTSIZE_ERROR) {
        return failed(FrameStatus::kDamaged, "frame without content size");
    }
    FrameHeader header;
    header.reason = fault_of(block, content);
    header.status = header.reason.empty() ? FrameStatus::kBlock : FrameStatus::kDamaged;
    header.block = block;
    header.content_bytes = content;
    return header;
}

std::optional<std::span<const uint8_t>> FrameDecoder::payload(std::span<const uint8_t> frame, const FrameHeader& header,
                                                              std::string& reason) {
    const auto content = static_cast<size_t>(header.content_bytes);
    if (content_.size() < content) content_.resize(content);
    const size_t result = ZSTD_decompressDCtx(context_.get(), content_.data(), content, frame.data(), frame.size());
    if (ZSTD_isError(result)) {
        reason = std::string("zstd: ") + ZSTD_getErrorName(result);
        return std::nullopt;
    }
    if (result != content || std::memcmp(content_.data(), &header.block, sizeof header.block) != 0) {
        reason = "the block changed while it was read";
        return std::nullopt;
    }
    return std::span<const uint8_t>(content_).subspan(header.block.header_bytes, header.block.payload_bytes);
}

}  // namespace fnprof::trace

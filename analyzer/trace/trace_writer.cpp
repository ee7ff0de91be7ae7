#include "trace/trace_writer.h"

#include <unistd.h>
#include <zstd.h>

#include <cerrno>
#include <cstring>
#include <new>

#include "trace/trace_error.h"

namespace fnprof::trace {

using namespace format;

namespace {

template <class T>
std::span<const uint8_t> bytes_of(const T& value) {
    return {reinterpret_cast<const uint8_t*>(&value), sizeof value};
}

void compress(ZSTD_CCtx* context, std::span<const uint8_t> data, ZSTD_EndDirective end, ZSTD_outBuffer& out) {
    ZSTD_inBuffer in{data.data(), data.size(), 0};
    if (ZSTD_compressStream2(context, &out, &in, end) != 0) throw std::bad_alloc();  // the room always suffices
}

}  // namespace

void TraceWriter::Free::operator()(ZSTD_CCtx_s* context) const { ZSTD_freeCCtx(context); }

TraceWriter::TraceWriter(int descriptor, std::string name)
    : descriptor_(descriptor), name_(std::move(name)), context_(ZSTD_createCCtx()) {
    if (context_ == nullptr) throw std::bad_alloc();
    ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_checksumFlag, 1);
    ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_compressionLevel, 1);
}

TraceWriter::~TraceWriter() = default;

void TraceWriter::copy_block(const BlockHeader& header, std::span<const uint8_t> frame) {
    note_block(header, frame.size());
    append(frame);
}

void TraceWriter::copy_skippable(std::span<const uint8_t> frame) { append(frame); }

void TraceWriter::add_block(BlockHeader header, std::span<const uint8_t> payload) {
    header.magic = kBlockMagic;
    header.version = kVersion;
    header.header_bytes = sizeof header;
    header.payload_bytes = static_cast<uint32_t>(payload.size());
    // The header is a zstd block of its own, which may cost a few bytes more than one stream's bound.
    constexpr size_t kFlushBytes = 64;
    frame_.resize(ZSTD_compressBound(sizeof header + payload.size()) + kFlushBytes);
    ZSTD_CCtx_reset(context_.get(), ZSTD_reset_session_only);
    ZSTD_CCtx_setPledgedSrcSize(context_.get(), sizeof header + payload.size());
    ZSTD_outBuffer out{frame_.data(), frame_.size(), 0};
    compress(context_.get(), bytes_of(header), ZSTD_e_flush, out);
    compress(context_.get(), payload, ZSTD_e_end, out);
    copy_block(header, std::span<const uint8_t>(frame_).first(out.pos));
}

void TraceWriter::add_seek_table() {
    const SeekTail tail{index_.size(), 0, kBlockMagic};
    const uint32_t head[2] = {kSeekTableFrame, static_cast<uint32_t>(index_.size() * sizeof(SeekEntry) + sizeof tail)};
    append(bytes_of(head));
    append({reinterpret_cast<const uint8_t*>(index_.data()), index_.size() * sizeof(SeekEntry)});
    append(bytes_of(tail));
}

void TraceWriter::note_block(const BlockHeader& header, size_t frame_bytes) {
    index_.push_back({offset_, static_cast<uint32_t>(frame_bytes), header.thread, header.first_chunk, header.record_count, header.kind, {}});
    if (header.kind != static_cast<uint8_t>(BlockKind::kRecords)) return;
    record_count_ += header.record_count;
    torn_count_ += header.torn_count;
}

void TraceWriter::append(std::span<const uint8_t> bytes) {
    offset_ += bytes.size();
    while (!bytes.empty()) {
        const ssize_t written = write(descriptor_, bytes.data(), bytes.size());
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) throw WriteError("cannot write " + name_ + ": " + std::strerror(written < 0 ? errno : EIO));
        bytes = bytes.subspan(static_cast<size_t>(written));
    }
}

}  // namespace fnprof::trace

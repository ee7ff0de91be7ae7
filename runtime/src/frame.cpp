// ZSTD_compressBegin_advanced is the only way to a frame whose blocks the caller delimits and whose size is in its header.
#define ZSTD_STATIC_LINKING_ONLY
#define ZSTD_DISABLE_DEPRECATE_WARNINGS
#include "frame.h"

#include <zstd.h>

namespace fnprof::rt {

using format::BlockHeader;
using format::ColumnSpan;

namespace {

// A usual block of records has some 45,000 bytes of columns. A window of that size keeps zstd's buffers and its blocks at 64 KiB.
constexpr unsigned kWindowLog = 16;

ZSTD_parameters parameters_for(int level) {
    ZSTD_parameters parameters{};
    parameters.cParams = ZSTD_getCParams(level, uint64_t{1} << kWindowLog, 0);
    parameters.cParams.windowLog = kWindowLog;
    // Measured: shorter matches of times are chance, and cost more than the literals.
    if (parameters.cParams.strategy == ZSTD_fast) parameters.cParams.minMatch = ZSTD_MINMATCH_MAX;
    parameters.fParams.contentSizeFlag = 1;
    parameters.fParams.checksumFlag = 1;
    parameters.fParams.noDictIDFlag = 1;
    return parameters;
}

// One call of ZSTD_compressContinue or ZSTD_compressEnd: a zstd block, or several when it is longer than one may be.
bool add(ZSTD_CCtx* context, const void* data, size_t bytes, bool last, uint8_t*& to, uint8_t* end) {
    const auto room = static_cast<size_t>(end - to);
    const size_t written = last ? ZSTD_compressEnd(context, to, room, data, bytes) : ZSTD_compressContinue(context, to, room, data, bytes);
    if (ZSTD_isError(written)) return false;
    to += written;
    return true;
}

}  // namespace

bool FrameWriter::start(int level) {
    level_ = level;
    if (ZSTD_estimateCCtxSize_usingCParams(parameters_for(level).cParams) > kContextBytes) return false;
    context_ = ZSTD_initStaticCCtx(memory_, kContextBytes);
    return context_ != nullptr;
}

size_t FrameWriter::write(const BlockHeader& header, const ColumnSpan* columns, uint32_t column_count, uint8_t* out, size_t capacity) {
    size_t content = sizeof header;
    for (uint32_t i = 0; i < column_count; i++) content += columns[i].bytes;
    if (ZSTD_isError(ZSTD_compressBegin_advanced(context_, nullptr, 0, parameters_for(level_), content))) return 0;
    uint8_t* to = out;
    uint8_t* const end = out + capacity;
    if (!add(context_, &header, sizeof header, column_count == 0, to, end)) return 0;
    for (uint32_t i = 0; i < column_count; i++) {
        if (!add(context_, columns[i].data, columns[i].bytes, i + 1 == column_count, to, end)) return 0;
    }
    return static_cast<size_t>(to - out);
}

}  // namespace fnprof::rt

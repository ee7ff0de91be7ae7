// A static context and the choice of how literals are coded are in zstd's interface for static linking only.
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

// At the fastest levels: how far the search for matches moves on at each miss. Two thirds of the bytes are times, whose matches are few
// and short: what a dense search finds there is hardly better than their literals' entropy code. Measured at 12 against 1: half
// of the time (lua: 6.2 -> 2.7 ns an event) for an eighth more bytes.
constexpr int kSearchStep = 12;

struct Parameter {
    ZSTD_cParameter name;
    int value;
};

bool set_parameters(ZSTD_CCtx* context, int level) {
    ZSTD_compressionParameters chosen = ZSTD_getCParams(level, uint64_t{1} << kWindowLog, 0);
    const bool fastest = chosen.strategy == ZSTD_fast && level > 0;
    // Shorter matches of times are chance, and cost more than the literals.
    if (chosen.strategy == ZSTD_fast) chosen.minMatch = ZSTD_MINMATCH_MAX;
    if (fastest) chosen.targetLength = kSearchStep;
    const Parameter parameters[] = {
        {ZSTD_c_compressionLevel, level},
        {ZSTD_c_windowLog, kWindowLog},
        {ZSTD_c_hashLog, static_cast<int>(chosen.hashLog)},
        {ZSTD_c_chainLog, static_cast<int>(chosen.chainLog)},
        {ZSTD_c_searchLog, static_cast<int>(chosen.searchLog)},
        {ZSTD_c_minMatch, static_cast<int>(chosen.minMatch)},
        {ZSTD_c_targetLength, static_cast<int>(chosen.targetLength)},
        {ZSTD_c_strategy, static_cast<int>(chosen.strategy)},
        {ZSTD_c_checksumFlag, 1},
        {ZSTD_c_dictIDFlag, 0},
        // zstd takes a long step for the wish not to code literals at all.
        {ZSTD_c_literalCompressionMode, fastest ? ZSTD_ps_enable : ZSTD_ps_auto},
    };
    for (const Parameter& parameter : parameters)
        if (ZSTD_isError(ZSTD_CCtx_setParameter(context, parameter.name, parameter.value))) return false;
    return true;
}

// Adds a piece of the content and ends the zstd block (several, when it is longer than one may be), or the frame.
bool add(ZSTD_CCtx* context, const void* data, size_t bytes, ZSTD_EndDirective end, ZSTD_outBuffer& out) {
    ZSTD_inBuffer in{data, bytes, 0};
    return ZSTD_compressStream2(context, &out, &in, end) == 0;
}

}  // namespace

bool FrameWriter::start(int level) {
    context_ = ZSTD_initStaticCCtx(memory_, kContextBytes);
    if (context_ == nullptr) return false;
    ZSTD_CCtx_reset(context_, ZSTD_reset_session_and_parameters);  // a static context starts without zstd's default parameters
    return set_parameters(context_, level);
}

size_t FrameWriter::write(const BlockHeader& header, const ColumnSpan* columns, uint32_t column_count, uint8_t* to, size_t capacity) {
    size_t content = sizeof header;
    for (uint32_t i = 0; i < column_count; i++) content += columns[i].bytes;
    ZSTD_CCtx_reset(context_, ZSTD_reset_session_only);
    if (ZSTD_isError(ZSTD_CCtx_setPledgedSrcSize(context_, content))) return 0;
    ZSTD_outBuffer out{to, capacity, 0};
    if (!add(context_, &header, sizeof header, column_count == 0 ? ZSTD_e_end : ZSTD_e_flush, out)) return 0;
    for (uint32_t i = 0; i < column_count; i++)
        if (!add(context_, columns[i].data, columns[i].bytes, i + 1 == column_count ? ZSTD_e_end : ZSTD_e_flush, out)) return 0;
    return out.pos;
}

}  // namespace fnprof::rt

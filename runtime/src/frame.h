// One block as one zstd frame with checksum. The BlockHeader and each column become zstd blocks of their own: a reader
// finds the header without decompressing the rest, and each column gets its own entropy tables.
//
// Context: any; signal-safe (no allocation, no library call outside zstd). zstd needs about 6 KiB of stack.
#pragma once

#include <cstddef>
#include <cstdint>

#include "format/encoder.h"
#include "format/layout.h"

struct ZSTD_CCtx_s;

namespace fnprof::rt {

// Bytes that hold any frame with this much payload.
constexpr size_t frame_bound(size_t payload_bytes) {
    constexpr size_t kOwnBytes = 512;  // frame header and checksum, block headers, what zstd wants free at the end
    return payload_bytes + payload_bytes / 128 + kOwnBytes;
}

// Holds a zstd context in its own memory, some 300 KiB of which are touched at the usual levels. Zeroed memory is a FrameWriter that
// has not started.
class FrameWriter {
  public:
    // `level` as zstd counts, from -5 to 19. False: no such level.
    [[nodiscard]] bool start(int level);

    // Writes the frame to `out`; returns its size, 0 if it does not fit in `capacity` (frame_bound is enough). `columns` together
    // are the payload.
    size_t write(const format::BlockHeader& header, const format::ColumnSpan* columns, uint32_t column_count, uint8_t* out,
                 size_t capacity);

    // The same for a payload in one piece.
    size_t write(const format::BlockHeader& header, const uint8_t* payload, uint8_t* out, size_t capacity) {
        const format::ColumnSpan whole{payload, header.payload_bytes};
        return write(header, &whole, 1, out, capacity);
    }

  private:
    // zstd's own estimate for the greatest level at this window: 1,988,152 bytes (1.5.4).
    static constexpr size_t kContextBytes = 8 << 18;

    ZSTD_CCtx_s* context_;
    alignas(64) uint8_t memory_[kContextBytes];
};

}  // namespace fnprof::rt

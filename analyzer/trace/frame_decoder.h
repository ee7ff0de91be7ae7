// One zstd frame of a trace: its block header, and its whole content. Bounded whatever the frame claims.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "format/layout.h"

struct ZSTD_DCtx_s;

namespace fnprof::trace {

// How reading a frame's beginning ended.
enum class FrameStatus {
    kBlock,         // a block of a trace
    kCut,           // the bytes end before the header does
    kDamaged,       // not zstd, or not a frame that the format allows
    kForeign,       // a sound beginning of a zstd frame, but of something else
    kNewerVersion,  // a block of a version that is not known here
};

struct FrameHeader {
    FrameStatus status = FrameStatus::kDamaged;
    std::string reason;  // unless kBlock
    format::BlockHeader block{};
    uint64_t content_bytes = 0;
};

class FrameDecoder {
  public:
    FrameDecoder();

    // `bytes`: from the frame's beginning, as much as is at hand. Reads the block header.
    FrameHeader peek(std::span<const uint8_t> bytes);

    // Decompresses a whole frame that peek() liked and returns its payload, valid until the next call; empty optional and `reason`
    // when its content is damaged or is not what `header` says.
    std::optional<std::span<const uint8_t>> payload(std::span<const uint8_t> frame, const FrameHeader& header, std::string& reason);

  private:
    struct Free {
        void operator()(ZSTD_DCtx_s* context) const;
    };
    std::unique_ptr<ZSTD_DCtx_s, Free> context_;
    std::vector<uint8_t> content_;
};

}  // namespace fnprof::trace

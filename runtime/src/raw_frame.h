// The first frame of a trace: an ordinary zstd frame made of raw (uncompressed) blocks, so that a look at the first bytes
// tells whose trace it is, without a decompressor. RFC 8878, by hand:
//
//   0   magic 28 b5 2f fd
//   4   frame header descriptor a4: no dictionary, single segment, checksum, content size of 4 bytes
//   5   content size, 4 bytes
//   9   block header, 3 bytes: raw, 56 bytes
//   12  BlockHeader
//   68  block header, 3 bytes: raw, up to 128 KiB of the payload; more of them as needed
//   71  payload: ItemHeader, ProcessItem, ...
//   end XXH64 of the content, low 4 bytes
//
// Context: init; signal-safe.
#pragma once

#include "../format/layout.h"
#include "identity.h"

namespace fnprof::rt {

// Bytes of the frame for a payload of that size.
size_t raw_frame_bytes(size_t payload_bytes);

// Writes the frame to `to`, which has room for raw_frame_bytes(header.payload_bytes); returns its size.
size_t write_raw_frame(uint8_t* to, const format::BlockHeader& header, const void* payload);

// XXH64 with seed 0, the content checksum of zstd.
class ContentHash {
  public:
    ContentHash();
    void add(const void* data, size_t bytes);
    uint64_t value() const;

  private:
    static constexpr size_t kStripeBytes = 32;
    void consume_stripe(const uint8_t* stripe);

    uint64_t lanes_[4];
    uint8_t stripe_[kStripeBytes];  // the first total_ % kStripeBytes bytes wait here
    uint64_t total_ = 0;
};

// What the beginning of a file says about its origin.
enum class FileOrigin : uint8_t {
    kEmpty,
    kTrace,    // of fnprof, and owner is filled
    kForeign,  // anything else
};
struct TraceOwner {
    ProcessIdentity process;
    uint32_t image;
};
constexpr size_t kOriginBytes = 256;  // enough of a file for read_origin
FileOrigin read_origin(const uint8_t* beginning, size_t bytes, TraceOwner& owner);

}  // namespace fnprof::rt

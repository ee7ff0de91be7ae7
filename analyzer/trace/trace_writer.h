// Writes a trace file frame by frame, as format/FORMAT.md says; knows nothing of what the blocks mean.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "format/layout.h"

struct ZSTD_CCtx_s;

namespace fnprof::trace {

class TraceWriter {
  public:
    // Appends to an open file, which stays the caller's; `name` stands in messages. All functions throw WriteError.
    TraceWriter(int descriptor, std::string name);
    ~TraceWriter();
    TraceWriter(const TraceWriter&) = delete;
    TraceWriter& operator=(const TraceWriter&) = delete;

    // A whole frame of another trace, as it is.
    void copy_block(const format::BlockHeader& header, std::span<const uint8_t> frame);
    void copy_skippable(std::span<const uint8_t> frame);
    // Fills in the header's magic, version and sizes, and compresses.
    void add_block(format::BlockHeader header, std::span<const uint8_t> payload);
    // The index of the blocks so far.
    void add_seek_table();

    uint64_t size() const { return offset_; }
    uint64_t record_count() const { return record_count_; }  // in the record blocks so far
    uint64_t torn_count() const { return torn_count_; }

  private:
    void append(std::span<const uint8_t> bytes);
    void note_block(const format::BlockHeader& header, size_t frame_bytes);

    int descriptor_;
    std::string name_;
    uint64_t offset_ = 0;
    uint64_t record_count_ = 0;
    uint64_t torn_count_ = 0;
    std::vector<format::SeekEntry> index_;
    std::vector<uint8_t> frame_;
    struct Free {
        void operator()(ZSTD_CCtx_s* context) const;
    };
    std::unique_ptr<ZSTD_CCtx_s, Free> context_;
};

}  // namespace fnprof::trace

// A trace as a sequence of record blocks plus what is known beside them: the only door into this folder.
//
//   TraceFile file("trace.zst");              // reads the metadata, adds trace.zst.live if there is one
//   RecordBlock block;
//   while (file.next(block)) ...              // reuses the block's memory
//   report(file.diagnostics());
//
// Damage costs the blocks it hits and is told in the diagnostics. Not thread-safe; where there are processors for it, a thread of its
// own decodes ahead of next().
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "trace/diagnostics.h"
#include "trace/metadata.h"
#include "trace/record_block.h"
#include "trace/trace_error.h"

namespace fnprof::trace {

class TraceWriter;

class TraceFile {
  public:
    // Throws TraceError when there is nothing to read. `path` + ".live" is read along when it belongs to this trace.
    explicit TraceFile(const std::string& path);
    // The same from memory; `name` stands in messages. `live` is the live file's content, empty for none.
    static TraceFile from_bytes(std::vector<uint8_t> trace, const std::string& name, std::vector<uint8_t> live = {});

    ~TraceFile();
    TraceFile(TraceFile&&) noexcept;
    TraceFile& operator=(TraceFile&&) noexcept;

    const Metadata& metadata() const;
    const Diagnostics& diagnostics() const;

    // The next block, each thread's chunk numbers ascending, else in the order of the file; false at the end.
    bool next(RecordBlock& block);

    // Serial numbers of the threads that have records, in rising order, whether or not the metadata know them.
    std::vector<uint32_t> threads() const;

    // Instead of next(): everything that is intact into another file, each frame as it is, chunks of the live file as new blocks.
    struct Copied {
        uint64_t record_count = 0;
        uint64_t live_record_count = 0;
        uint64_t last_ticks = 0;  // the greatest time of a record
    };
    Copied copy_to(TraceWriter& writer);

    // For progress displays: blocks and records that next() will have delivered in all, damaged ones included.
    uint64_t block_count() const;
    uint64_t record_count() const;

  private:
    class Impl;
    explicit TraceFile(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

}  // namespace fnprof::trace

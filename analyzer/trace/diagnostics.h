// What was found wrong with a trace while reading it. Readers go on after damage; reports tell.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace fnprof::trace {

struct DamagedBlock {
    uint64_t offset = 0;  // in the trace file
    uint64_t bytes = 0;   // that could not be used; 0 unknown
    std::string reason;
};

struct MissingChunks {
    uint32_t thread = 0;
    uint64_t first = 0;
    uint64_t count = 0;
};

// Complete when TraceFile::next() has returned false: damage inside record blocks shows when they are decoded.
struct Diagnostics {
    static constexpr size_t kMaxListed = 1000;  // of a hostile file's damages; the counts go on

    std::vector<DamagedBlock> damaged_blocks;  // in the order they were found
    uint64_t damaged_count = 0;
    std::optional<uint64_t> truncated_at;      // the file ends in the middle of a frame that begins here
    std::vector<MissingChunks> missing_chunks; // numbers that should be there and are not, damaged blocks included
    uint64_t missing_chunk_count = 0;
    uint64_t duplicate_chunk_count = 0;        // chunks that are there twice and were read once
    bool live_file_found = false;              // there is a live file beside the trace, whoever's
    bool live_file_read = false;               // the trace's own live file was there
    uint64_t live_fault_count = 0;             // of the remarks, those on what could not be read of a live file
    uint64_t live_chunk_count = 0;             // read from it
    uint64_t lost_record_count = 0;            // known to be in neither file, in numbers of the live file
    uint64_t contradiction_count = 0;          // places where the trace contradicts itself: something is wrong or missing
    std::vector<std::string> remarks;          // in words: contradictions and anything else, one sentence each

    void add_damage(uint64_t offset, uint64_t bytes, std::string reason) {
        ++damaged_count;
        if (damaged_blocks.size() < kMaxListed) damaged_blocks.push_back({offset, bytes, std::move(reason)});
    }
    void add_missing(uint32_t thread, uint64_t first, uint64_t count) {
        missing_chunk_count += count;
        if (missing_chunks.size() < kMaxListed) missing_chunks.push_back({thread, first, count});
    }
    void add_remark(std::string remark) {
        if (remarks.size() < kMaxListed) remarks.push_back(std::move(remark));
    }
    void add_live_fault(std::string remark) {
        ++live_fault_count;
        add_remark(std::move(remark));
    }
    void add_contradiction(std::string remark) {
        ++contradiction_count;
        add_remark(std::move(remark));
    }
    // Everything that the trace ever held was found, once, as it was written.
    bool whole() const {
        return damaged_count == 0 && !truncated_at && missing_chunk_count == 0 && duplicate_chunk_count == 0 && contradiction_count == 0;
    }
    bool clean() const { return whole() && remarks.empty(); }
};

}  // namespace fnprof::trace

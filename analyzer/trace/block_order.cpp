#include "trace/block_order.h"

#include <algorithm>
#include <map>
#include <utility>

namespace fnprof::trace {

namespace {

using Sound = std::function<bool(const BlockEntry&)>;

uint64_t end_of(const BlockEntry& block) { return block.first_chunk + block.chunk_count; }

// A thread's sorted blocks without those that are there twice. A chunk of the live file that is in the trace file too is no fault:
// its process died between writing it and giving it back.
std::vector<BlockEntry> without_duplicates(const std::vector<BlockEntry>& blocks, const Sound& sound, Diagnostics& diagnostics) {
    std::vector<BlockEntry> kept;
    for (const BlockEntry& block : blocks) {
        while (!kept.empty() && block.first_chunk < end_of(kept.back()) && !sound(kept.back())) kept.pop_back();
        if (kept.empty() || block.first_chunk >= end_of(kept.back())) {
            kept.push_back(block);
        } else if (!block.live && sound(block)) {
            diagnostics.duplicate_chunk_count += block.chunk_count;
        }
    }
    return kept;
}

void find_missing(const std::vector<BlockEntry>& blocks, Diagnostics& diagnostics) {
    uint64_t next_chunk = 0;
    for (const BlockEntry& block : blocks) {
        if (block.first_chunk > next_chunk) diagnostics.add_missing(block.thread, next_chunk, block.first_chunk - next_chunk);
        next_chunk = end_of(block);
    }
}

}  // namespace

std::vector<BlockEntry> order_blocks(const std::vector<BlockEntry>& entries, const Sound& sound, Diagnostics& diagnostics) {
    std::map<uint32_t, std::vector<BlockEntry>> threads;
    for (const BlockEntry& entry : entries) threads[entry.thread].push_back(entry);
    for (auto& [serial, blocks] : threads) {
        // Of two blocks with the same number the one in the file is whole, and among those the first one is taken.
        std::ranges::stable_sort(blocks, {}, [](const BlockEntry& block) { return std::pair(block.first_chunk, !block.from_file); });
        blocks = without_duplicates(blocks, sound, diagnostics);
        find_missing(blocks, diagnostics);
    }
    std::map<uint32_t, size_t> taken;
    std::vector<BlockEntry> order;
    for (const BlockEntry& entry : entries) {
        const std::vector<BlockEntry>& blocks = threads[entry.thread];
        size_t& next = taken[entry.thread];
        if (next < blocks.size()) order.push_back(blocks[next++]);
    }
    return order;
}

}  // namespace fnprof::trace

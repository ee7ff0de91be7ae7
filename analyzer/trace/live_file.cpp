#include "trace/live_file.h"

#include <algorithm>
#include <cstring>

namespace fnprof::trace {

using namespace format;

namespace {

// Reads a whole T; false at the end of the file.
template <class T>
bool read_value(const Source& source, uint64_t offset, T& value) {
    return source.read(offset, reinterpret_cast<uint8_t*>(&value), sizeof value) == sizeof value;
}

bool same(const ChunkState& a, const ChunkState& b) { return a.number == b.number && a.thread == b.thread && a.use == b.use; }

class RingReader {
  public:
    RingReader(const Source& source, RawChunkCoder& coder, LiveFile& live)
        : source_(source), coder_(coder), live_(live), slots_(kSlotsPerChunk) {}

    // The ring area at `offset`; returns its size, 0 when there is none. The file may end before the area does: chunks are
    // reserved one by one, before their first use.
    uint64_t read_ring(uint64_t offset) {
        RingHeader ring{};
        if (!read_value(source_, offset, ring) || ring.magic != kRingMagic) return 0;
        if (ring.area_bytes != ring_area_bytes(ring.chunk_count) || ring_header_bytes(ring.chunk_count) > source_.size() - offset) return 0;
        for (uint32_t i = 0; i < ring.chunk_count; ++i) {
            read_chunk(offset + sizeof ring + uint64_t{i} * sizeof(ChunkState),
                       offset + ring_header_bytes(ring.chunk_count) + uint64_t{i} * kChunkBytes);
        }
        return ring.area_bytes;
    }

  private:
    void read_chunk(uint64_t state_offset, uint64_t offset) {
        ChunkState state{};
        if (!read_value(source_, state_offset, state)) return;
        const bool open = state.use == static_cast<uint32_t>(ChunkUse::kOpen);
        if (!open && state.use != static_cast<uint32_t>(ChunkUse::kPublished)) return;
        const uint32_t used = open ? kSlotsPerChunk : std::min(state.used_slots, kSlotsPerChunk);
        ChunkHeader header{};
        const bool whole = read_value(source_, offset, header) && read_slots(offset + sizeof header, used, open, header.stale_ticks);
        live_.cut |= !whole && offset < source_.size();
        // The process may run on. A chunk that changed hands while it was read is in the trace file by now.
        ChunkState now{};
        if (!read_value(source_, state_offset, now) || !(same(state, now) || was_published(state, now))) return;
        const std::span<const Slot> slots = std::span<const Slot>(slots_).first(used);
        CodedChunk chunk;
        chunk.stored = whole && !never_stored(state, header, open, slots);
        if (chunk.stored) {
            chunk = coder_.code(slots, header.stale_ticks, open);
            if (open && chunk.record_count + chunk.torn_count == 0) return;
        } else if (!open) {
            chunk.record_count = used;
        }
        chunk.thread = state.thread;
        chunk.number = state.number;
        live_.chunks.push_back(std::move(chunk));
    }

    // Whether the thread wrote its chunk into memory of its own, for want of disk space: the file then reads as zeros. (A first
    // chunk without records, open, looks the same in both cases.)
    static bool never_stored(const ChunkState& state, const ChunkHeader& header, bool open, std::span<const Slot> slots) {
        if (header.number != 0 || header.stale_ticks != 0) return false;
        if (state.number != 0) return true;
        return !open && !slots.empty() && std::ranges::all_of(slots, [](const Slot& slot) {
            return (slot.function_word | slot.site_word | slot.time_word) == 0;
        });
    }

    static bool was_published(const ChunkState& before, const ChunkState& now) {
        return before.use == static_cast<uint32_t>(ChunkUse::kOpen) && now.use == static_cast<uint32_t>(ChunkUse::kPublished) &&
               before.number == now.number && before.thread == now.thread;
    }

    // The slots of a chunk that is being written are read twice: a time word seen in the first reading commits what the second
    // one finds before it.
    bool read_slots(uint64_t offset, uint32_t count, bool open, uint64_t stale_ticks) {
        const size_t bytes = count * sizeof(Slot);
        auto* to = reinterpret_cast<uint8_t*>(slots_.data());
        if (source_.read(offset, to, bytes) != bytes) return false;
        if (!open) return true;
        const std::vector<Slot> first(slots_.begin(), slots_.begin() + count);
        if (source_.read(offset, to, bytes) != bytes) return false;
        for (uint32_t i = 0; i < count; ++i) {
            if (ticks_of(first[i].time_word) <= stale_ticks) slots_[i].time_word = first[i].time_word;
        }
        return true;
    }

    const Source& source_;
    RawChunkCoder& coder_;
    LiveFile& live_;
    std::vector<Slot> slots_;
};

}  // namespace

std::optional<LiveFile> read_live_file(const Source& source, RawChunkCoder& coder, Diagnostics& diagnostics) {
    LiveFile live;
    const char unfinished[sizeof kLiveMagic] = {};  // the magic is written last
    if (!read_value(source, 0, live.header) || std::memcmp(live.header.magic, unfinished, sizeof unfinished) == 0) return std::nullopt;
    if (std::memcmp(live.header.magic, kLiveMagic, sizeof kLiveMagic) != 0) {
        diagnostics.add_live_fault(source.name() + " is not a live file and was left out.");
        return std::nullopt;
    }
    if (live.header.version > kVersion) {
        diagnostics.add_live_fault(source.name() + " was written by a newer fnprof and was left out.");
        return std::nullopt;
    }
    RingReader reader(source, coder, live);
    bool complete = true;
    for (uint64_t at = kPageBytes; at < std::min(live.header.ring_bytes, source.size());) {
        const uint64_t area_bytes = reader.read_ring(at);
        complete &= area_bytes != 0;
        at += area_bytes != 0 ? area_bytes : kPageBytes;  // ring areas begin on pages
    }
    if (live.cut) ++diagnostics.live_fault_count;  // the remark on the chunk is the trace's
    if (!complete) diagnostics.add_live_fault(source.name() + " has holes: the records of some threads may be missing.");
    return live;
}

bool belongs_to(const LiveHeader& live, const ProcessItem& process) {
    return std::memcmp(live.boot_id, process.boot_id, sizeof live.boot_id) == 0 && live.pid == process.pid &&
           live.process_start == process.process_start;
}

}  // namespace fnprof::trace

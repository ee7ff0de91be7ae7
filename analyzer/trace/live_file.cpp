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

std::string name_of(const ChunkState& state) {
    return "chunk " + std::to_string(state.number) + " of thread " + std::to_string(state.thread);
}

// The runtime adds 1,024 ticks to be sure (ring.cpp); clocks of two processors may differ by the rest.
constexpr uint64_t kClockSkewTicks = 1024 + 512;

// What cannot be in a chunk that its process left as it should be; empty: nothing. Nothing else tells of damage: a live file has no
// checksums.
std::string fault_of(const ChunkState& state, const ChunkHeader& header, std::span<const Slot> slots) {
    const bool open = state.use == static_cast<uint32_t>(ChunkUse::kOpen);
    if (header.number != state.number) return "has two numbers";
    if (header.stale_ticks > state.changed_ticks + kClockSkewTicks) return "is older than what it held before";
    if (!open && state.used_slots > kSlotsPerChunk) return "has more records than room";
    const uint32_t used = open ? kSlotsPerChunk : state.used_slots;
    for (uint32_t i = 0; i < kSlotsPerChunk; ++i) {
        const uint64_t ticks = ticks_of(slots[i].time_word);
        const Kind kind = kind_of(slots[i].time_word);
        if (ticks <= header.stale_ticks || kind == Kind::kNone) continue;
        if (i >= used) return "has records where none were made";
        // The clock is read first in exits. (Any other hook may be interrupted between its claim and the clock by a handler that fills
        // the chunk.)
        if (!open && kind == Kind::kExit && ticks > state.changed_ticks + kClockSkewTicks) return "has exits from after it was full";
        // The clock is read last in enters: none is older than its chunk.
        if (open && kind == Kind::kEnter && ticks + kClockSkewTicks < state.changed_ticks) return "has records from before it was begun";
    }
    return {};
}

class RingReader {
  public:
    RingReader(const Source& source, RawChunkCoder& coder, LiveFile& live, Diagnostics& diagnostics)
        : source_(source), coder_(coder), live_(live), diagnostics_(diagnostics), slots_(kSlotsPerChunk) {}

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
        if (!open && state.use != static_cast<uint32_t>(ChunkUse::kPublished)) return note_unused(state, offset);
        ChunkHeader header{};
        const bool whole = read_value(source_, offset, header) && read_slots(offset + sizeof header, open, header.stale_ticks);
        live_.cut |= !whole && offset < source_.size();
        // The process may run on. A chunk that changed hands while it was read is in the trace file by now.
        ChunkState now{};
        if (!read_value(source_, state_offset, now) || !(same(state, now) || was_published(state, now))) return;
        const uint32_t used = open ? kSlotsPerChunk : std::min(state.used_slots, kSlotsPerChunk);
        const std::span<const Slot> slots = std::span<const Slot>(slots_).first(used);
        CodedChunk chunk;
        chunk.stored = whole && !never_stored(state, header, open, slots);
        if (chunk.stored) {
            if (const std::string fault = fault_of(state, header, slots_); !fault.empty()) {
                diagnostics_.add_contradiction(source_.name() + " is damaged: " + name_of(state) + ' ' + fault + '.');
            }
            chunk = coder_.code(slots, header.stale_ticks, open);
            if (open && chunk.record_count + chunk.torn_count == 0) return;
        } else if (!open) {
            chunk.record_count = used;
        }
        chunk.thread = state.thread;
        chunk.number = state.number;
        live_.chunks.push_back(std::move(chunk));
    }

    // A free chunk's last records are in the trace file.
    void note_unused(const ChunkState& state, uint64_t offset) {
        if (state.use != static_cast<uint32_t>(ChunkUse::kFree)) {
            diagnostics_.add_contradiction(source_.name() + " is damaged: " + name_of(state) + " is neither free nor in use.");
        } else if (state.thread != 0) {
            live_.freed.push_back({state.thread, state.number, offset});
        }
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
    bool read_slots(uint64_t offset, bool open, uint64_t stale_ticks) {
        const size_t bytes = kSlotsPerChunk * sizeof(Slot);
        auto* to = reinterpret_cast<uint8_t*>(slots_.data());
        if (source_.read(offset, to, bytes) != bytes) return false;
        if (!open) return true;
        const std::vector<Slot> first = slots_;
        if (source_.read(offset, to, bytes) != bytes) return false;
        for (uint32_t i = 0; i < kSlotsPerChunk; ++i) {
            if (ticks_of(first[i].time_word) <= stale_ticks) slots_[i].time_word = first[i].time_word;
        }
        return true;
    }

    const Source& source_;
    RawChunkCoder& coder_;
    LiveFile& live_;
    Diagnostics& diagnostics_;
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
    RingReader reader(source, coder, live, diagnostics);
    bool complete = true;
    uint64_t at = kPageBytes;
    while (at < source.size()) {
        const uint64_t area_bytes = reader.read_ring(at);
        // A ring that is just being made is not yet within the rings' end.
        if (area_bytes == 0 && at >= live.header.ring_bytes) break;
        complete &= area_bytes != 0;
        at += area_bytes != 0 ? area_bytes : kPageBytes;  // ring areas begin on pages
    }
    if (live.cut) ++diagnostics.live_fault_count;  // the remark on the chunk is the trace's
    if (!complete) diagnostics.add_contradiction(source.name() + " has holes: the records of some threads may be missing.");
    if (at < live.header.ring_bytes) diagnostics.add_contradiction(source.name() + " is cut: rings are not in it.");
    return live;
}

bool holds_records(const Source& source, const FreedChunk& freed) {
    ChunkHeader header{};
    std::vector<Slot> slots(kSlotsPerChunk);
    const size_t bytes = slots.size() * sizeof(Slot);
    if (!read_value(source, freed.offset, header) ||
        source.read(freed.offset + sizeof header, reinterpret_cast<uint8_t*>(slots.data()), bytes) != bytes) {
        return false;
    }
    return std::ranges::any_of(slots, [&](const Slot& slot) { return ticks_of(slot.time_word) > header.stale_ticks; });
}

bool belongs_to(const LiveHeader& live, const ProcessItem& process) {
    return std::memcmp(live.boot_id, process.boot_id, sizeof live.boot_id) == 0 && live.pid == process.pid &&
           live.process_start == process.process_start;
}

}  // namespace fnprof::trace

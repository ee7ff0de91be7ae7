#include "support/trace_builder.h"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <stdexcept>

#include "src/frame.h"

namespace fnprof::testing {

using namespace format;

namespace {

constexpr uint64_t kStackUnitBytes = kStackUnit;

Slot make(Kind kind, uint64_t function, uint64_t site, uint64_t stack_pointer, uint64_t ticks) {
    return make_slot(kind, function, site, static_cast<uint32_t>(stack_pointer / kStackUnitBytes), ticks);
}

template <class T>
void put(std::vector<uint8_t>& to, const T& value) {
    const auto* from = reinterpret_cast<const uint8_t*>(&value);
    to.insert(to.end(), from, from + sizeof value);
}

void put_string(std::vector<uint8_t>& to, std::string_view text) {
    put(to, static_cast<uint32_t>(text.size()));
    to.insert(to.end(), text.begin(), text.end());
}

}  // namespace

Slot enter(uint64_t function, uint64_t site, uint64_t stack_pointer, uint64_t ticks) {
    return make(Kind::kEnter, function, site, stack_pointer, ticks);
}
Slot exit(uint64_t function, uint64_t site, uint64_t stack_pointer, uint64_t ticks) {
    return make(Kind::kExit, function, site, stack_pointer, ticks);
}
Slot throw_mark(uint64_t stack_pointer, uint64_t ticks) { return make(Kind::kThrow, 0, 0, stack_pointer, ticks); }
Slot catch_mark(uint64_t stack_pointer, uint64_t ticks) { return make(Kind::kCatch, 0, 0, stack_pointer, ticks); }
Slot longjmp_mark(uint64_t stack_pointer, uint64_t ticks) { return make(Kind::kLongjmp, 0, 0, stack_pointer, ticks); }
Slot gap(uint64_t length_ticks, uint64_t end_ticks, uint64_t dropped) {
    return make(Kind::kGap, dropped, length_ticks, 0, end_ticks);
}
Slot user_mark(uint64_t function, uint64_t payload, uint64_t ticks) { return make(Kind::kMark, function, payload, 0, ticks); }
Slot torn() { return {}; }

struct TraceBuilder::Coder {
    EncoderWorkspace workspace;
    rt::FrameWriter frames;
    std::vector<uint8_t> payload;
};

TraceBuilder::TraceBuilder() : coder_(new Coder{}) {
    process_item.pid = 4711;
    process_item.parent_pid = 1;
    process_item.process_start = 100;
    for (uint8_t i = 0; i < sizeof process_item.boot_id; ++i) process_item.boot_id[i] = i;
}
TraceBuilder::~TraceBuilder() = default;

TraceBuilder& TraceBuilder::item(uint16_t type, const void* payload, size_t bytes) {
    put(items_, ItemHeader{type, 0, static_cast<uint32_t>(bytes)});
    const auto* from = static_cast<const uint8_t*>(payload);
    items_.insert(items_.end(), from, from + bytes);
    items_.resize((items_.size() + 7) / 8 * 8);
    return *this;
}

void TraceBuilder::put_item(ItemType type, const std::vector<uint8_t>& payload) {
    item(static_cast<uint16_t>(type), payload.data(), payload.size());
}

TraceBuilder& TraceBuilder::process(std::string_view executable, const std::vector<std::string>& arguments) {
    std::vector<uint8_t> payload;
    put(payload, process_item);
    put_string(payload, executable);
    put_string(payload, working_directory);
    put_string(payload, host);
    put(payload, static_cast<uint32_t>(arguments.size()));
    for (const std::string& argument : arguments) put_string(payload, argument);
    put_item(ItemType::kProcess, payload);
    return *this;
}

TraceBuilder& TraceBuilder::clock(ClockKind kind, uint64_t step_milliticks) {
    const ClockItem clock{static_cast<uint32_t>(kind), 0, step_milliticks};
    return item(static_cast<uint16_t>(ItemType::kClock), &clock, sizeof clock);
}

TraceBuilder& TraceBuilder::clock_pair(uint64_t ticks, uint64_t monotonic_ns) {
    const ClockPair pair{ticks, monotonic_ns};
    return item(static_cast<uint16_t>(ItemType::kClockPair), &pair, sizeof pair);
}

TraceBuilder& TraceBuilder::hook_cost(uint64_t inner_ps, uint64_t outer_ps) {
    const HookCostItem cost{inner_ps, outer_ps};
    return item(static_cast<uint16_t>(ItemType::kHookCost), &cost, sizeof cost);
}

TraceBuilder& TraceBuilder::module(uint32_t id, std::string_view path, uint64_t bias, uint64_t start, uint64_t end,
                                   const std::vector<uint8_t>& build_id, uint64_t load_ticks) {
    std::vector<uint8_t> payload;
    put(payload, ModuleItem{id, 0, load_ticks, bias, start, end});
    put_string(payload, path);
    put_string(payload, std::string_view(reinterpret_cast<const char*>(build_id.data()), build_id.size()));
    put_item(ItemType::kModule, payload);
    return *this;
}

TraceBuilder& TraceBuilder::unload(uint32_t id, uint64_t ticks) {
    const ModuleUnloadItem unload{id, 0, ticks};
    return item(static_cast<uint16_t>(ItemType::kModuleUnload), &unload, sizeof unload);
}

TraceBuilder& TraceBuilder::names(uint32_t module, const std::vector<NameSpec>& entries) {
    std::vector<uint8_t> payload;
    put(payload, NamesItem{module, static_cast<uint32_t>(entries.size())});
    for (const NameSpec& entry : entries) {
        put(payload, NameEntry{entry.address, entry.size, static_cast<uint32_t>(entry.name.size())});
        payload.insert(payload.end(), entry.name.begin(), entry.name.end());
    }
    put_item(ItemType::kNames, payload);
    return *this;
}

TraceBuilder& TraceBuilder::thread(uint32_t serial, int32_t tid, std::string_view name, uint64_t start_ticks, uint64_t end_ticks,
                                   uint64_t lost_records) {
    ThreadItem thread{serial, tid, start_ticks, end_ticks, lost_records, {}, 0, 0};
    std::memcpy(thread.name, name.data(), std::min(name.size(), sizeof thread.name));
    return item(static_cast<uint16_t>(ItemType::kThread), &thread, sizeof thread);
}

TraceBuilder& TraceBuilder::end(uint64_t end_ticks, EndReason reason) {
    const EndItem end{static_cast<uint32_t>(reason), static_cast<uint32_t>(next_chunk_.size()), end_ticks, record_count_, torn_count_, 0};
    return item(static_cast<uint16_t>(ItemType::kEnd), &end, sizeof end);
}

TraceBuilder& TraceBuilder::notice(uint32_t code, std::string_view text) {
    std::vector<uint8_t> payload;
    put(payload, NoticeItem{code, 0});
    put_string(payload, text);
    put_item(ItemType::kNotice, payload);
    return *this;
}

TraceBuilder& TraceBuilder::metadata_block() {
    BlockHeader header{};
    header.kind = static_cast<uint8_t>(BlockKind::kMetadata);
    const std::vector<uint8_t> payload = std::move(items_);
    items_.clear();
    return frame(header, payload);
}

TraceBuilder& TraceBuilder::records(uint32_t thread, const std::vector<Slot>& slots, uint32_t slots_per_chunk) {
    std::vector<ChunkInput> chunks;
    for (size_t at = 0; at < slots.size() || chunks.empty(); at += slots_per_chunk) {
        const size_t used = std::min<size_t>(slots_per_chunk, slots.size() - at);
        chunks.push_back({slots.data() + at, static_cast<uint32_t>(used), 0});
    }
    coder_->payload.resize(encoded_bound(static_cast<uint32_t>(slots.size())));
    if (chunks.size() > kMaxChunksPerBlock) throw std::invalid_argument("more chunks than a block can hold");
    const EncodeResult encoded = encode_block(coder_->workspace, chunks.data(), static_cast<uint32_t>(chunks.size()),
                                              TornPolicy::kSkip, coder_->payload.data(), coder_->payload.size());
    if (encoded.refused) throw std::invalid_argument("more slots than a block can hold");
    BlockHeader header{};
    header.kind = static_cast<uint8_t>(BlockKind::kRecords);
    header.thread = thread;
    header.first_chunk = next_chunk(thread);
    header.chunk_count = static_cast<uint32_t>(chunks.size());
    header.record_count = encoded.record_count;
    header.torn_count = encoded.torn_count;
    header.first_ticks = encoded.first_ticks;
    header.last_ticks = encoded.last_ticks;
    next_chunk_[thread] += chunks.size();
    record_count_ += encoded.record_count;
    torn_count_ += encoded.torn_count;
    return frame(header, std::vector<uint8_t>(coder_->payload.data(), coder_->payload.data() + encoded.payload_bytes));
}

TraceBuilder& TraceBuilder::frame(BlockHeader header, const std::vector<uint8_t>& payload) {
    if (header.magic == 0) header.magic = kBlockMagic;
    if (header.version == 0) header.version = version;
    if (header.header_bytes == 0) header.header_bytes = sizeof header;
    if (header.payload_bytes == 0) header.payload_bytes = static_cast<uint32_t>(payload.size());
    const ColumnSpan whole{payload.data(), static_cast<uint32_t>(payload.size())};
    std::vector<uint8_t> frame(rt::frame_bound(payload.size()));
    if (!coder_->frames.start(level)) throw std::invalid_argument("no such zstd level");
    const size_t size = coder_->frames.write(header, &whole, payload.empty() ? 0 : 1, frame.data(), frame.size());
    if (size == 0) throw std::runtime_error("zstd refused the frame");
    index_.push_back({bytes_.size(), static_cast<uint32_t>(size), header.thread, header.first_chunk, header.record_count, header.kind, {}});
    frame_offsets_.push_back(bytes_.size());
    return raw(frame.data(), size);
}

TraceBuilder& TraceBuilder::late_area(uint32_t thread, int32_t tid, const std::vector<Slot>& slots, uint32_t slot_count) {
    const LateAreaHeader header{kRingMagic, slot_count, thread, tid, {0, next_chunk_[thread]++}};
    std::vector<uint8_t> area;
    put(area, kLateAreaFrame);
    put(area, static_cast<uint32_t>(sizeof header + slot_count * sizeof(Slot)));
    put(area, header);
    for (const Slot& slot : slots) put(area, slot);
    area.resize(8 + sizeof header + slot_count * sizeof(Slot));
    frame_offsets_.push_back(bytes_.size());
    return raw(area.data(), area.size());
}

TraceBuilder& TraceBuilder::seek_table() {
    std::vector<uint8_t> table;
    put(table, kSeekTableFrame);
    put(table, static_cast<uint32_t>(index_.size() * sizeof(SeekEntry) + sizeof(SeekTail)));
    for (const SeekEntry& entry : index_) put(table, entry);
    put(table, SeekTail{index_.size(), 0, kBlockMagic});
    frame_offsets_.push_back(bytes_.size());
    return raw(table.data(), table.size());
}

TraceBuilder& TraceBuilder::raw(const void* data, size_t bytes) {
    const auto* from = static_cast<const uint8_t*>(data);
    bytes_.insert(bytes_.end(), from, from + bytes);
    return *this;
}

TraceBuilder& TraceBuilder::skip_chunks(uint32_t thread, uint64_t count) {
    next_chunk_[thread] += count;
    return *this;
}

uint64_t TraceBuilder::next_chunk(uint32_t thread) const {
    const auto found = next_chunk_.find(thread);
    return found == next_chunk_.end() ? 0 : found->second;
}

void TraceBuilder::write_file(const std::string& path) const { write_bytes(path, bytes_); }

LiveFileBuilder::LiveFileBuilder(const ProcessItem& process) {
    std::memcpy(header.magic, kLiveMagic, sizeof header.magic);
    header.version = kVersion;
    header.header_bytes = kPageBytes;
    std::memcpy(header.boot_id, process.boot_id, sizeof header.boot_id);
    header.pid = process.pid;
    header.process_start = process.process_start;
}

void LiveFileBuilder::add_ring(uint32_t chunk_count) {
    last_ring_ = rings_.size();
    last_ring_chunks_ = chunk_count;
    const RingHeader ring{kRingMagic, chunk_count, ring_area_bytes(chunk_count)};
    rings_.resize(rings_.size() + ring_area_bytes(chunk_count));
    std::memcpy(rings_.data() + last_ring_, &ring, sizeof ring);
}

void LiveFileBuilder::add_chunk(uint32_t index, uint32_t thread, uint64_t number, ChunkUse use, const std::vector<Slot>& slots,
                                uint64_t stale_ticks, uint64_t changed_ticks) {
    if (index >= last_ring_chunks_ || slots.size() > kSlotsPerChunk) throw std::invalid_argument("no such chunk or slot");
    ChunkState state{};
    state.number = number;
    state.thread = thread;
    state.use = static_cast<uint32_t>(use);
    state.used_slots = use == ChunkUse::kPublished ? static_cast<uint32_t>(slots.size()) : 0;
    state.tid = static_cast<int32_t>(thread);
    state.changed_ticks = changed_ticks;
    if (changed_ticks == kPlausible) {
        state.changed_ticks = stale_ticks;
        for (const Slot& slot : slots) {
            if (use != ChunkUse::kOpen) state.changed_ticks = std::max(state.changed_ticks, ticks_of(slot.time_word));
        }
    }
    std::memcpy(rings_.data() + last_ring_ + sizeof(RingHeader) + index * sizeof state, &state, sizeof state);
    uint8_t* chunk = rings_.data() + last_ring_ + ring_header_bytes(last_ring_chunks_) + size_t{index} * kChunkBytes;
    const ChunkHeader chunk_header{stale_ticks, number};
    std::memcpy(chunk, &chunk_header, sizeof chunk_header);
    if (!slots.empty()) std::memcpy(chunk + sizeof chunk_header, slots.data(), slots.size() * sizeof(Slot));
}

std::vector<uint8_t> LiveFileBuilder::bytes() const {
    LiveHeader complete = header;
    if (complete.ring_bytes == 0) complete.ring_bytes = kPageBytes + rings_.size();
    std::vector<uint8_t> file(kPageBytes + rings_.size());
    std::memcpy(file.data(), &complete, sizeof complete);
    std::copy(rings_.begin(), rings_.end(), file.begin() + kPageBytes);
    return file;
}

void LiveFileBuilder::write_file(const std::string& path) const { write_bytes(path, bytes()); }

void write_bytes(const std::string& path, const std::vector<uint8_t>& bytes) {
    std::ofstream out(path, std::ios::binary | std::ios::trunc);
    out.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    if (!out) throw std::runtime_error("cannot write " + path);
}

}  // namespace fnprof::testing

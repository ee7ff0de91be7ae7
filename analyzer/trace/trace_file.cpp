#include "trace/trace_file.h"

#include <sys/stat.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <thread>
#include <utility>

#include "trace/block_order.h"
#include "trace/block_reader.h"
#include "trace/frame_index.h"
#include "trace/live_file.h"
#include "trace/metadata_parser.h"
#include "trace/raw_chunk.h"
#include "trace/read_ahead.h"
#include "trace/source.h"
#include "trace/trace_writer.h"

namespace fnprof::trace {

using format::BlockKind;

namespace {

constexpr size_t kMaxLateAreas = 256;  // FORMAT.md: no writer makes more

// A thread costs more than decoding a few blocks, and takes the place of somebody else on a single processor.
bool worth_a_thread(size_t blocks) {
    constexpr size_t kFewBlocks = 8;
    return blocks > kFewBlocks && std::thread::hardware_concurrency() > 1;
}

}  // namespace

class TraceFile::Impl {
  public:
    Impl(Source trace, std::optional<Source> live, std::string remark = {}) : reader_(std::move(trace)) {
        if (!remark.empty()) diagnostics_.add_live_fault(std::move(remark));
        diagnostics_.live_file_found = live || diagnostics_.live_fault_count != 0;
        RawChunkCoder coder;
        // Before the index: see read_live_file.
        std::optional<LiveFile> rings;
        Diagnostics of_rings;
        if (live) rings = read_live_file(*live, coder, of_rings);
        FrameIndex index = index_frames(reader_.source(), diagnostics_);
        reader_.frames = std::move(index.blocks);
        read_metadata(index);
        check_seek_table(index);
        std::vector<BlockEntry> entries;
        for (size_t i = 0; i < reader_.frames.size(); ++i) {
            const format::BlockHeader& header = reader_.frames[i].header.block;
            if (header.kind == static_cast<uint8_t>(BlockKind::kRecords)) {
                entries.push_back({header.thread, header.first_chunk, header.chunk_count, true, false, i});
            }
        }
        check_times();
        for (const LateArea& area : index.late_areas) code_late_area(area, coder, entries);
        check_late_room(index.late_areas);
        add_live_chunks(std::move(rings), live, of_rings, entries);
        if (index.cut) excuse_unfinished_write(*index.cut);
        order_ = order_blocks(entries, [this](const BlockEntry& entry) { return is_sound(entry); }, diagnostics_);
        leave_out_unstored();
        for (const BlockEntry& entry : order_) {
            if (!entry.from_file && !reader_.chunks[entry.index].late) ++diagnostics_.live_chunk_count;
            record_count_ += entry.from_file ? reader_.frames[entry.index].header.block.record_count
                                             : reader_.chunks[entry.index].record_count;
        }
    }

    bool next(RecordBlock& block) {
        std::swap(result_.block, block);
        while (next_result()) {
            if (result_.good) {
                std::swap(result_.block, block);
                return true;
            }
            tell_of_damage(result_.entry, std::move(result_.damage));
        }
        if (!std::exchange(read_to_end_, true)) check_totals();
        return false;
    }

    Copied copy_to(TraceWriter& writer) {
        Copied copied;
        const std::vector<bool> intact = find_intact(copied);
        for (size_t i = 0; i < reader_.frames.size(); ++i) {
            const BlockFrame& frame = reader_.frames[i];
            if (intact[i]) writer.copy_block(frame.header.block, whole(frame.offset, frame.bytes));
        }
        for (const BlockEntry& entry : order_) {
            if (entry.from_file) continue;
            const CodedChunk& chunk = reader_.chunks[entry.index];
            copied.record_count += chunk.record_count;
            copied.last_ticks = std::max(copied.last_ticks, chunk.last_ticks);
            if (chunk.late) {
                writer.copy_skippable(whole(chunk.frame_offset, chunk.frame_bytes));
            } else {
                copied.live_record_count += chunk.record_count;
                writer.add_block(header_of(chunk), chunk.payload);
            }
        }
        return copied;
    }

    const Metadata& metadata() const { return metadata_; }
    const Diagnostics& diagnostics() const { return diagnostics_; }
    uint64_t block_count() const { return order_.size(); }
    uint64_t record_count() const { return record_count_; }
    std::vector<uint32_t> threads() const {
        std::set<uint32_t> serials;
        for (const BlockEntry& entry : order_) {
            const bool empty = entry.from_file ? is_empty(reader_.frames[entry.index].header.block) : is_empty(reader_.chunks[entry.index]);
            if (!empty) serials.insert(entry.thread);
        }
        return {serials.begin(), serials.end()};
    }

  private:
    template <class Block>
    static bool is_empty(const Block& block) {
        return block.record_count == 0 && block.torn_count == 0;
    }

    bool next_result() {
        if (position_ == 0 && worth_a_thread(order_.size())) ahead_.emplace(reader_, order_);
        if (position_ == order_.size()) return false;
        const BlockEntry& entry = order_[position_++];
        if (ahead_) return ahead_->next(result_);
        result_.entry = entry;
        result_.good = reader_.read(entry, result_.block, result_.damage);
        return true;
    }

    void tell_of_damage(const BlockEntry& entry, DamagedBlock damage) {
        diagnostics_.add_damage(damage.offset, damage.bytes, std::move(damage.reason));
        diagnostics_.add_missing(entry.thread, entry.first_chunk, entry.chunk_count);
    }

    // Of each frame of the file: whether it is wanted, and can be read.
    std::vector<bool> find_intact(Copied& copied) {
        std::vector<bool> intact(reader_.frames.size());
        for (size_t i = 0; i < intact.size(); ++i) {
            std::string reason;
            const BlockFrame& frame = reader_.frames[i];
            if (frame.header.block.kind == static_cast<uint8_t>(BlockKind::kMetadata)) intact[i] = reader_.payload(frame, reason).has_value();
        }
        RecordBlock block;
        for (const BlockEntry& entry : order_) {
            if (!entry.from_file) continue;
            DamagedBlock damage;
            intact[entry.index] = reader_.read(entry, block, damage);
            if (!intact[entry.index]) {
                tell_of_damage(entry, std::move(damage));
                continue;
            }
            copied.record_count += block.records.events.size();
            copied.last_ticks = std::max(copied.last_ticks, reader_.frames[entry.index].header.block.last_ticks);
        }
        return intact;
    }

    std::span<const uint8_t> whole(uint64_t offset, uint64_t bytes) {
        const std::span<const uint8_t> found = reader_.bytes(offset, bytes);
        if (found.empty()) throw TraceError(TraceError::Kind::kUnreadable, reader_.source().name() + " was cut while it was read");
        return found;
    }

    static format::BlockHeader header_of(const CodedChunk& chunk) {
        format::BlockHeader header{};
        header.kind = static_cast<uint8_t>(BlockKind::kRecords);
        header.thread = chunk.thread;
        header.first_chunk = chunk.number;
        header.chunk_count = 1;
        header.record_count = chunk.record_count;
        header.torn_count = chunk.torn_count;
        header.first_ticks = chunk.first_ticks;
        header.last_ticks = chunk.last_ticks;
        return header;
    }

    void read_metadata(FrameIndex& index) {
        MetadataParser parser(diagnostics_);
        for (size_t i = 0; i < reader_.frames.size(); ++i) {
            const BlockFrame& frame = reader_.frames[i];
            if (frame.header.block.kind != static_cast<uint8_t>(BlockKind::kMetadata)) continue;
            std::string reason;
            if (const auto payload = reader_.payload(frame, reason)) {
                if (parser.add_block(*payload, frame.offset)) continue;
                leave_out_from(i, index);
                break;
            }
            diagnostics_.add_damage(frame.offset, frame.bytes, "metadata: " + reason);
        }
        metadata_ = parser.finish();
        if (!reader_.frames.empty() && reader_.frames.front().header.block.kind != static_cast<uint8_t>(BlockKind::kMetadata)) {
            diagnostics_.add_contradiction("The file begins with records: the block that says whose they are is missing, or in another place.");
        }
    }

    // Files of two processes put behind one another: their threads have the same numbers.
    void leave_out_from(size_t frame, FrameIndex& index) {
        const uint64_t offset = reader_.frames[frame].offset;
        diagnostics_.add_damage(offset, reader_.source().size() - offset,
                                "the trace of another process begins here and was left out; give each trace a file of its own");
        reader_.frames.resize(frame);
        std::erase_if(index.late_areas, [&](const LateArea& area) { return area.offset > offset; });
    }

    // The seek table is needed for nothing, but it says how many blocks there were.
    void check_seek_table(const FrameIndex& index) {
        if (index.seek_tables.empty() || !diagnostics_.whole()) return;
        const SeekTable& table = index.seek_tables.front();
        if (table.entry_count == table.block_count) return;
        diagnostics_.add_contradiction("The trace's own table lists " + std::to_string(table.entry_count) + " blocks, and the file has " +
                                       std::to_string(table.block_count) + ": blocks were cut out or put in.");
    }

    // So does the end record of records. Where something is known to be missing the sums cannot agree.
    void check_totals() {
        if (!metadata_.end || !diagnostics_.whole()) return;
        uint64_t records = 0;
        uint64_t torn = 0;
        for (const BlockFrame& frame : reader_.frames) {
            if (frame.header.block.kind != static_cast<uint8_t>(BlockKind::kRecords)) continue;
            records += frame.header.block.record_count;
            torn += frame.header.block.torn_count;
        }
        if (records == metadata_.end->record_count && torn == metadata_.end->torn_count) return;
        diagnostics_.add_contradiction("The trace's end speaks of " + std::to_string(metadata_.end->record_count) + " records and " +
                                       std::to_string(metadata_.end->torn_count) + " torn ones, and its blocks hold " +
                                       std::to_string(records) + " and " + std::to_string(torn) + ".");
    }

    // Blocks made wholly before the process began to record, or after it had ended, are another's.
    void check_times() {
        uint64_t end_ticks = UINT64_MAX;
        if (metadata_.end) {
            end_ticks = metadata_.end->end_ticks;
            if (!metadata_.clock_pairs.empty()) end_ticks = std::max(end_ticks, metadata_.clock_pairs.back().ticks);
        }
        for (const BlockFrame& frame : reader_.frames) {
            const format::BlockHeader& block = frame.header.block;
            if (block.kind != static_cast<uint8_t>(BlockKind::kRecords) || block.record_count == 0) continue;
            if (block.last_ticks >= metadata_.process.facts.start_ticks && block.first_ticks <= end_ticks) continue;
            diagnostics_.add_contradiction("The block at byte " + std::to_string(frame.offset) + ", of thread " + std::to_string(block.thread) +
                                           ", was not made while the process ran: it belongs to another trace.");
        }
    }

    // A late area has no checksum. Each thread has one thread id for ever.
    void check_late_area(const LateArea& area) {
        const auto facts = std::ranges::lower_bound(metadata_.threads, area.header.thread, {}, &ThreadFacts::serial);
        if (facts == metadata_.threads.end() || facts->serial != area.header.thread || facts->tid == area.header.tid) return;
        diagnostics_.add_contradiction("The late area at byte " + std::to_string(area.offset) + " is thread " +
                                       std::to_string(area.header.thread) + "'s by its number and another's by its thread id.");
    }

    bool is_sound(const BlockEntry& entry) {
        if (!entry.from_file) return true;
        const BlockFrame& frame = reader_.frames[entry.index];
        std::string reason;
        if (reader_.payload(frame, reason)) return true;
        diagnostics_.add_damage(frame.offset, frame.bytes, std::move(reason));
        return false;
    }

    void code_late_area(const LateArea& area, RawChunkCoder& coder, std::vector<BlockEntry>& entries) {
        check_late_area(area);
        std::vector<format::Slot> slots(area.header.slot_count);
        const size_t bytes = slots.size() * sizeof(format::Slot);
        if (reader_.source().read(area.slots_offset, reinterpret_cast<uint8_t*>(slots.data()), bytes) != bytes) {
            diagnostics_.add_damage(area.slots_offset, bytes, "the file was cut while it was read");
            return;
        }
        CodedChunk chunk = coder.code(slots, area.header.chunk.stale_ticks, true);
        chunk.thread = area.header.thread;
        chunk.number = area.header.chunk.number;
        chunk.slot_count = area.header.slot_count;
        chunk.late = true;
        chunk.frame_offset = area.offset;
        chunk.frame_bytes = area.bytes;
        add_coded(std::move(chunk), entries);
    }

    // What had no room in late areas left no other trace.
    void check_late_room(const std::vector<LateArea>& areas) {
        if (areas.size() >= kMaxLateAreas) {
            diagnostics_.add_contradiction("All " + std::to_string(kMaxLateAreas) +
                                           " late areas are used up: records made after those, at the very end of the process, are lost.");
            return;
        }
        std::map<uint32_t, const CodedChunk*> last;
        for (const CodedChunk& chunk : reader_.chunks) {
            const CodedChunk*& newest = last[chunk.thread];
            if (newest == nullptr || chunk.number > newest->number) newest = &chunk;
        }
        for (const auto& [thread, chunk] : last) {
            if (chunk->record_count + chunk->torn_count < chunk->slot_count) continue;
            diagnostics_.add_contradiction("The last late area of thread " + std::to_string(thread) +
                                           " is full: records made after those, at the very end of the process, may be lost.");
        }
    }

    void add_live_chunks(std::optional<LiveFile> rings, const std::optional<Source>& live, const Diagnostics& of_rings,
                         std::vector<BlockEntry>& entries) {
        if (rings && (!metadata_.has_process || !belongs_to(rings->header, metadata_.process.facts))) {
            diagnostics_.add_live_fault(live->name() + " belongs to another process and was left out.");
            return;
        }
        for (const std::string& remark : of_rings.remarks) diagnostics_.add_remark(remark);
        diagnostics_.contradiction_count += of_rings.contradiction_count;
        diagnostics_.live_fault_count += of_rings.live_fault_count + of_rings.contradiction_count;
        if (!rings) return;
        diagnostics_.live_file_read = true;
        diagnostics_.lost_record_count = rings->header.lost_records;
        find_lost(*rings, *live, entries);
        for (CodedChunk& chunk : rings->chunks) add_coded(std::move(chunk), entries);
    }

    // A process that is killed while it writes a block leaves the beginning of it; chunks are given back only after the write.
    void excuse_unfinished_write(const format::BlockHeader& cut) {
        if (cut.kind != static_cast<uint8_t>(BlockKind::kRecords)) return;
        for (uint32_t i = 0; i < cut.chunk_count; ++i) {
            const auto is_it = [&](const CodedChunk& chunk) { return chunk.thread == cut.thread && chunk.number == cut.first_chunk + i; };
            if (std::ranges::none_of(reader_.chunks, is_it)) return;
        }
        diagnostics_.truncated_at.reset();
    }

    // Chunks that the live file has done with are in the trace.
    void find_lost(const LiveFile& rings, const Source& live, const std::vector<BlockEntry>& entries) {
        std::set<std::pair<uint32_t, uint64_t>> there;
        for (const BlockEntry& entry : entries) {
            for (uint32_t i = 0; i < entry.chunk_count; ++i) there.emplace(entry.thread, entry.first_chunk + i);
        }
        for (const CodedChunk& chunk : rings.chunks) there.emplace(chunk.thread, chunk.number);
        for (const FreedChunk& freed : rings.freed) {
            if (there.contains({freed.thread, freed.number}) || !holds_records(live, freed)) continue;
            diagnostics_.add_contradiction("Chunk " + std::to_string(freed.number) + " of thread " + std::to_string(freed.thread) +
                                           " was given back to " + live.name() + " as if it were in the trace, and is not.");
        }
    }

    // Of chunks that are neither in the trace nor had room in the live file there is nothing to read.
    void leave_out_unstored() {
        const auto unstored = [this](const BlockEntry& entry) { return !entry.from_file && !reader_.chunks[entry.index].stored; };
        for (const BlockEntry& entry : order_) {
            if (!unstored(entry)) continue;
            diagnostics_.add_missing(entry.thread, entry.first_chunk, entry.chunk_count);
            diagnostics_.lost_record_count += reader_.chunks[entry.index].record_count;
            diagnostics_.add_remark("Chunk " + std::to_string(entry.first_chunk) + " of thread " + std::to_string(entry.thread) +
                                    " is lost: there was no room on the disk for it, or the live file is cut.");
        }
        std::erase_if(order_, unstored);
    }

    void add_coded(CodedChunk chunk, std::vector<BlockEntry>& entries) {
        if (chunk.number == UINT64_MAX) return;  // no chunk of a real thread; its successor would have no number
        entries.push_back({chunk.thread, chunk.number, 1, false, !chunk.late, reader_.chunks.size()});
        reader_.chunks.push_back(std::move(chunk));
    }

    BlockReader reader_;
    Diagnostics diagnostics_;
    Metadata metadata_;
    std::vector<BlockEntry> order_;
    uint64_t record_count_ = 0;
    size_t position_ = 0;
    bool read_to_end_ = false;
    ReadAhead::Result result_;
    std::optional<ReadAhead> ahead_;  // last: its thread uses the reader and the order
};

namespace {

std::optional<Source> open_live_file(const std::string& path, std::string& remark) {
    struct stat status{};
    if (stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode) || status.st_size == 0) return std::nullopt;
    try {
        return Source::open(path);
    } catch (const TraceError& error) {
        remark = std::string("The records of a live file are missing: ") + error.what() + ".";
        return std::nullopt;
    }
}

}  // namespace

TraceFile::TraceFile(const std::string& path) {
    std::string remark;
    std::optional<Source> live = open_live_file(path + ".live", remark);
    impl_ = std::make_unique<Impl>(Source::open(path), std::move(live), std::move(remark));
}

TraceFile TraceFile::from_bytes(std::vector<uint8_t> trace, const std::string& name, std::vector<uint8_t> live) {
    std::optional<Source> rings;
    if (!live.empty()) rings = Source::from_bytes(std::move(live), name + ".live");
    return TraceFile(std::make_unique<Impl>(Source::from_bytes(std::move(trace), name), std::move(rings)));
}

TraceFile::TraceFile(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
TraceFile::~TraceFile() = default;
TraceFile::TraceFile(TraceFile&&) noexcept = default;
TraceFile& TraceFile::operator=(TraceFile&&) noexcept = default;

const Metadata& TraceFile::metadata() const { return impl_->metadata(); }
const Diagnostics& TraceFile::diagnostics() const { return impl_->diagnostics(); }
bool TraceFile::next(RecordBlock& block) { return impl_->next(block); }
uint64_t TraceFile::block_count() const { return impl_->block_count(); }
std::vector<uint32_t> TraceFile::threads() const { return impl_->threads(); }
uint64_t TraceFile::record_count() const { return impl_->record_count(); }
TraceFile::Copied TraceFile::copy_to(TraceWriter& writer) { return impl_->copy_to(writer); }

}  // namespace fnprof::trace

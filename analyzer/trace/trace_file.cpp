#include "trace/trace_file.h"

#include <sys/stat.h>

#include <utility>

#include "trace/block_order.h"
#include "trace/frame_decoder.h"
#include "trace/frame_index.h"
#include "trace/live_file.h"
#include "trace/metadata_parser.h"
#include "trace/raw_chunk.h"
#include "trace/source.h"

namespace fnprof::trace {

using format::BlockKind;

class TraceFile::Impl {
  public:
    Impl(Source trace, std::optional<Source> live, std::string remark = {}) : source_(std::move(trace)) {
        if (!remark.empty()) diagnostics_.add_remark(std::move(remark));
        RawChunkCoder coder;
        // Before the index: see read_live_file.
        std::optional<LiveFile> rings;
        if (live) rings = read_live_file(*live, coder, diagnostics_);
        FrameIndex index = index_frames(source_, diagnostics_);
        frames_ = std::move(index.blocks);
        read_metadata();
        std::vector<BlockEntry> entries;
        for (size_t i = 0; i < frames_.size(); ++i) {
            const format::BlockHeader& header = frames_[i].header.block;
            if (header.kind == static_cast<uint8_t>(BlockKind::kRecords)) {
                entries.push_back({header.thread, header.first_chunk, header.chunk_count, true, i});
            }
        }
        for (const LateArea& area : index.late_areas) code_late_area(area, coder, entries);
        if (rings) add_live_chunks(std::move(*rings), live->name(), entries);
        order_ = order_blocks(entries, [this](const BlockEntry& entry) { return is_sound(entry); }, diagnostics_);
        for (const BlockEntry& entry : order_) {
            if (!entry.from_file && !coded_[entry.index].late) ++diagnostics_.live_chunk_count;
            record_count_ += entry.from_file ? frames_[entry.index].header.block.record_count : coded_[entry.index].record_count;
        }
    }

    bool next(RecordBlock& block) {
        while (position_ < order_.size()) {
            const BlockEntry& entry = order_[position_++];
            block.thread = entry.thread;
            block.first_chunk = entry.first_chunk;
            block.chunk_count = entry.chunk_count;
            if (entry.from_file ? read_frame(frames_[entry.index], block) : read_coded(coded_[entry.index], block)) return true;
            diagnostics_.add_missing(entry.thread, entry.first_chunk, entry.chunk_count);
        }
        return false;
    }

    const Metadata& metadata() const { return metadata_; }
    const Diagnostics& diagnostics() const { return diagnostics_; }
    uint64_t block_count() const { return order_.size(); }
    uint64_t record_count() const { return record_count_; }

  private:
    void read_metadata() {
        MetadataParser parser(diagnostics_);
        for (const BlockFrame& frame : frames_) {
            if (frame.header.block.kind != static_cast<uint8_t>(BlockKind::kMetadata)) continue;
            std::string reason;
            if (const auto payload = frame_payload(frame, reason)) {
                parser.add_block(*payload, frame.offset);
            } else {
                diagnostics_.add_damage(frame.offset, frame.bytes, "metadata: " + reason);
            }
        }
        metadata_ = parser.finish();
    }

    std::optional<std::span<const uint8_t>> frame_payload(const BlockFrame& frame, std::string& reason) {
        buffer_.resize(static_cast<size_t>(frame.bytes));
        if (source_.read(frame.offset, buffer_.data(), buffer_.size()) != buffer_.size()) {
            reason = "the file was cut while it was read";
            return std::nullopt;
        }
        return decoder_.payload(buffer_, frame.header, reason);
    }

    bool read_frame(const BlockFrame& frame, RecordBlock& block) {
        const format::BlockHeader& header = frame.header.block;
        block.torn_count = header.torn_count;
        block.live = block.late = false;
        std::string reason;
        if (const auto payload = frame_payload(frame, reason)) {
            const format::DecodeStatus status = records_.decode(payload->data(), payload->size(), block.records);
            if (status && block.records.events.size() == header.record_count) return true;
            reason = status ? "record count differs from the header's"
                            : std::string(format::to_string(status.error)) + " at payload offset " + std::to_string(status.offset);
        }
        diagnostics_.add_damage(frame.offset, frame.bytes, std::move(reason));
        return false;
    }

    bool is_sound(const BlockEntry& entry) {
        if (!entry.from_file) return true;
        const BlockFrame& frame = frames_[entry.index];
        std::string reason;
        if (frame_payload(frame, reason)) return true;
        diagnostics_.add_damage(frame.offset, frame.bytes, std::move(reason));
        return false;
    }

    bool read_coded(CodedChunk& chunk, RecordBlock& block) {
        block.torn_count = chunk.torn_count;
        block.late = chunk.late;
        block.live = !chunk.late;
        const bool decoded = static_cast<bool>(records_.decode(chunk.payload.data(), chunk.payload.size(), block.records));
        std::vector<uint8_t>().swap(chunk.payload);
        return decoded;
    }

    void code_late_area(const LateArea& area, RawChunkCoder& coder, std::vector<BlockEntry>& entries) {
        std::vector<format::Slot> slots(area.header.slot_count);
        const size_t bytes = slots.size() * sizeof(format::Slot);
        if (source_.read(area.slots_offset, reinterpret_cast<uint8_t*>(slots.data()), bytes) != bytes) {
            diagnostics_.add_damage(area.slots_offset, bytes, "the file was cut while it was read");
            return;
        }
        CodedChunk chunk = coder.code(slots, area.header.chunk.stale_ticks, true);
        chunk.thread = area.header.thread;
        chunk.number = area.header.chunk.number;
        chunk.late = true;
        add_coded(std::move(chunk), entries);
    }

    void add_live_chunks(LiveFile rings, const std::string& name, std::vector<BlockEntry>& entries) {
        if (!metadata_.has_process || !belongs_to(rings.header, metadata_.process.facts)) {
            diagnostics_.add_remark(name + " belongs to another process and was left out.");
            return;
        }
        for (CodedChunk& chunk : rings.chunks) add_coded(std::move(chunk), entries);
    }

    void add_coded(CodedChunk chunk, std::vector<BlockEntry>& entries) {
        if (chunk.number == UINT64_MAX) return;  // no chunk of a real thread; its successor would have no number
        entries.push_back({chunk.thread, chunk.number, 1, false, coded_.size()});
        coded_.push_back(std::move(chunk));
    }

    Source source_;
    Diagnostics diagnostics_;
    Metadata metadata_;
    FrameDecoder decoder_;
    format::BlockDecoder records_;
    std::vector<uint8_t> buffer_;

    std::vector<BlockFrame> frames_;
    std::vector<CodedChunk> coded_;
    std::vector<BlockEntry> order_;
    size_t position_ = 0;
    uint64_t record_count_ = 0;
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
uint64_t TraceFile::record_count() const { return impl_->record_count(); }

}  // namespace fnprof::trace

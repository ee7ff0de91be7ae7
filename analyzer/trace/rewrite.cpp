#include "trace/rewrite.h"

#include <algorithm>
#include <cstring>
#include <span>
#include <vector>

#include "trace/trace_writer.h"

namespace fnprof::trace {

using namespace format;

namespace {

class Items {
  public:
    void add(ItemType type, const std::vector<uint8_t>& payload) {
        put(ItemHeader{static_cast<uint16_t>(type), 0, static_cast<uint32_t>(payload.size())});
        bytes_.insert(bytes_.end(), payload.begin(), payload.end());
        bytes_.resize((bytes_.size() + 7) / 8 * 8);
    }
    const std::vector<uint8_t>& bytes() const { return bytes_; }

    template <class T>
    static void put(std::vector<uint8_t>& to, const T& value) {
        const auto* raw = reinterpret_cast<const uint8_t*>(&value);
        to.insert(to.end(), raw, raw + sizeof value);
    }

  private:
    template <class T>
    void put(const T& value) {
        put(bytes_, value);
    }
    std::vector<uint8_t> bytes_;
};

std::vector<uint8_t> notice(const std::string& text) {
    std::vector<uint8_t> payload;
    Items::put(payload, NoticeItem{static_cast<uint32_t>(NoticeCode::kFoundByRecovery), 0});
    Items::put(payload, static_cast<uint32_t>(text.size()));
    payload.insert(payload.end(), text.begin(), text.end());
    return payload;
}

bool is_in(const MissingChunks& gap, const std::vector<MissingChunks>& gaps) {
    return std::ranges::any_of(gaps, [&](const MissingChunks& other) {
        return gap.thread == other.thread && gap.first == other.first && gap.count == other.count;
    });
}

// What one reading had to say and another has not.
uint64_t more(uint64_t before, uint64_t after) { return before > after ? before - after : 0; }

std::vector<uint8_t> recovery(const Diagnostics& before, const Diagnostics& after, uint64_t live_record_count) {
    std::vector<MissingChunks> gaps;
    for (const MissingChunks& gap : before.missing_chunks)
        if (!is_in(gap, after.missing_chunks)) gaps.push_back(gap);
    RecoveryItem item{};
    item.flags = (before.live_file_read ? kLiveFileReadAlong : 0u) | (before.truncated_at ? kWasTruncated : 0u);
    item.gap_count = static_cast<uint32_t>(gaps.size());
    item.live_record_count = live_record_count;
    item.damaged_count = more(before.damaged_count + before.contradiction_count, after.damaged_count + after.contradiction_count);
    item.duplicate_chunk_count = more(before.duplicate_chunk_count, after.duplicate_chunk_count);
    item.missing_chunk_count = more(before.missing_chunk_count, after.missing_chunk_count);
    std::vector<uint8_t> payload;
    Items::put(payload, item);
    for (const MissingChunks& gap : gaps) Items::put(payload, RecoveredGap{gap.thread, 0, gap.first, gap.count});
    return payload;
}

void add_notices(Items& items, const Diagnostics& before, const Diagnostics& after) {
    for (const std::string& remark : before.remarks)
        if (std::ranges::find(after.remarks, remark) == after.remarks.end()) items.add(ItemType::kNotice, notice(remark));
    constexpr size_t kDamagesTold = 5;
    const size_t told = after.damaged_count == 0 ? std::min(kDamagesTold, before.damaged_blocks.size()) : 0;
    for (const DamagedBlock& damage : std::span(before.damaged_blocks).first(told)) {
        std::string text = "before it was recovered this trace was damaged at byte " + std::to_string(damage.offset);
        if (damage.bytes != 0) text += ", " + std::to_string(damage.bytes) + " bytes of no use";
        items.add(ItemType::kNotice, notice(text + ": " + damage.reason));
    }
}

EndItem end_of(const Metadata& metadata, const TraceWriter& writer, uint64_t lost_record_count) {
    EndItem end{};
    end.reason = static_cast<uint32_t>(EndReason::kRecovered);
    end.record_count = writer.record_count();
    end.torn_count = writer.torn_count();
    for (const ThreadFacts& thread : metadata.threads) {
        end.thread_count = std::max(end.thread_count, thread.serial);
        end.lost_records += thread.lost_records;
    }
    end.lost_records = std::max(end.lost_records, lost_record_count);
    return end;
}

}  // namespace

Rewritten rewrite(TraceFile& file, int descriptor, const std::string& path, const std::string& name) {
    TraceWriter writer(descriptor, name);
    const TraceFile::Copied copied = file.copy_to(writer);
    // The frames alone, without what is to be said of the files before: whatever this reading does not find has to be written down.
    TraceFile again(path);
    uint64_t record_count = 0;
    for (RecordBlock block; again.next(block);) record_count += block.records.events.size();
    if (record_count != copied.record_count) throw WriteError(name + " does not hold what was written to it");

    const Diagnostics& before = file.diagnostics();
    Items items;
    add_notices(items, before, again.diagnostics());
    items.add(ItemType::kRecovery, recovery(before, again.diagnostics(), copied.live_record_count));
    if (!file.metadata().end) {
        EndItem end = end_of(file.metadata(), writer, before.lost_record_count);
        end.end_ticks = copied.last_ticks;
        for (const ClockPair& pair : file.metadata().clock_pairs) end.end_ticks = std::max(end.end_ticks, pair.ticks);
        std::vector<uint8_t> payload;
        Items::put(payload, end);
        items.add(ItemType::kEnd, payload);
    }
    BlockHeader header{};
    header.kind = static_cast<uint8_t>(BlockKind::kMetadata);
    writer.add_block(header, items.bytes());
    writer.add_seek_table();
    return {copied.record_count, copied.live_record_count, writer.size(), before.damaged_count, before.missing_chunk_count, before.truncated_at.has_value()};
}

}  // namespace fnprof::trace

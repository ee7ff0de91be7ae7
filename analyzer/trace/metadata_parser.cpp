#include "trace/metadata_parser.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string_view>
#include <utility>

#include "format/layout.h"

namespace fnprof::trace {

using format::ItemType;

namespace {

// A trace of a large program has some tens of megabytes; compressed zeros must not become all memory.
constexpr uint64_t kMaxTotalBytes = 1 << 30;

// Writers cut the arguments at some 65,536 bytes.
constexpr uint32_t kMaxArguments = 1 << 17;

// Fields of an item, read from the front. Once something does not fit, everything reads as nothing and good() is false.
class Fields {
  public:
    explicit Fields(std::span<const uint8_t> bytes) : rest_(bytes) {}

    template <class T>
    T get() {
        T value{};
        if (const std::string_view raw = take(sizeof value); good_) std::memcpy(&value, raw.data(), sizeof value);
        return value;
    }
    // For structures that have grown: the first `bytes` are always there, of the rest all or nothing.
    template <class T>
    T get_at_least(size_t bytes) {
        T value{};
        const std::string_view raw = take(rest_.size() < sizeof value ? bytes : sizeof value);
        if (good_) std::memcpy(&value, raw.data(), raw.size());
        return value;
    }
    std::string_view take(size_t bytes) {
        if (bytes > rest_.size()) good_ = false;
        if (!good_) return {};
        const std::string_view taken(reinterpret_cast<const char*>(rest_.data()), bytes);
        rest_ = rest_.subspan(bytes);
        return taken;
    }
    std::string_view string() { return take(get<uint32_t>()); }
    bool good() const { return good_; }
    bool empty() const { return rest_.empty(); }

  private:
    std::span<const uint8_t> rest_;
    bool good_ = true;
};

}  // namespace

bool MetadataParser::add_block(std::span<const uint8_t> payload, uint64_t offset) {
    if (is_of_another_process(payload)) return false;
    bytes_ += payload.size();
    if (bytes_ > kMaxTotalBytes) {
        diagnostics_.add_damage(offset, 0, "more metadata than a trace can have");
        return true;
    }
    Fields fields(payload);
    while (!fields.empty()) {
        const auto header = fields.get<format::ItemHeader>();
        const std::string_view item = fields.take(header.bytes);
        if (!fields.good()) {
            diagnostics_.add_damage(offset, 0, "metadata item longer than its block");
            return true;
        }
        const std::span<const uint8_t> bytes(reinterpret_cast<const uint8_t*>(item.data()), item.size());
        if (!add_item(header.type, bytes)) {
            diagnostics_.add_damage(offset, 0, "metadata item of type " + std::to_string(header.type) + " does not hold together");
        }
        fields.take((0 - size_t{header.bytes}) % 8);
    }
    return true;
}

// A trace's first block begins with its process item.
bool MetadataParser::is_of_another_process(std::span<const uint8_t> payload) const {
    Fields fields(payload);
    const auto header = fields.get<format::ItemHeader>();
    const auto process = fields.get<format::ProcessItem>();
    const format::ProcessItem& known = metadata_.process.facts;
    if (!fields.good() || header.type != static_cast<uint16_t>(ItemType::kProcess) || !metadata_.has_process) return false;
    return std::memcmp(process.boot_id, known.boot_id, sizeof known.boot_id) != 0 || process.pid != known.pid ||
           process.process_start != known.process_start || process.image != known.image || process.start_ticks != known.start_ticks;
}

bool MetadataParser::add_item(uint16_t type, std::span<const uint8_t> payload) {
    Fields fields(payload);
    switch (static_cast<ItemType>(type)) {
        case ItemType::kProcess: return add_process(payload);
        case ItemType::kModule: return add_module(payload);
        case ItemType::kModuleUnload: return add_unload(payload);
        case ItemType::kNames: return add_names(payload);
        case ItemType::kThread: return add_thread(payload);
        case ItemType::kNotice: return add_notice(payload);
        case ItemType::kRecovery: return add_recovery(payload);
        case ItemType::kClock: {
            const auto clock = fields.get<format::ClockItem>();
            if (!fields.good()) return false;
            metadata_.clock_kind = static_cast<format::ClockKind>(clock.kind);
            metadata_.step_milliticks = clock.step_milliticks;
            return true;
        }
        case ItemType::kClockPair:
            while (!fields.empty()) {
                const auto pair = fields.get<format::ClockPair>();
                if (!fields.good()) return false;
                metadata_.clock_pairs.push_back(pair);
            }
            return true;
        case ItemType::kHookCost: {
            const auto cost = fields.get<format::HookCostItem>();
            if (!fields.good()) return false;
            metadata_.hook_inner_ps = cost.inner_ps;
            metadata_.hook_outer_ps = cost.outer_ps;
            return true;
        }
        case ItemType::kEnd: {
            const auto end = fields.get<format::EndItem>();
            if (!fields.good()) return false;
            if (metadata_.end && metadata_.end->end_ticks != end.end_ticks) {
                diagnostics_.add_contradiction("The trace ends twice: one of its metadata blocks is of another trace.");
            }
            metadata_.end = end;
            return true;
        }
    }
    return true;  // of a later writer
}

bool MetadataParser::add_process(std::span<const uint8_t> payload) {
    Fields fields(payload);
    Process process;
    process.facts = fields.get<format::ProcessItem>();
    process.executable = fields.string();
    process.working_directory = fields.string();
    process.host = fields.string();
    auto left = fields.get<uint32_t>();
    if (left > kMaxArguments) return false;
    for (; left > 0 && fields.good(); --left) process.arguments.emplace_back(fields.string());
    if (!fields.good()) return false;
    metadata_.process = std::move(process);
    metadata_.has_process = true;
    return true;
}

bool MetadataParser::add_module(std::span<const uint8_t> payload) {
    Fields fields(payload);
    const auto item = fields.get<format::ModuleItem>();
    ModuleLoad module;
    module.id = item.id;
    module.path = fields.string();
    const std::string_view build_id = fields.string();
    module.build_id.assign(build_id.begin(), build_id.end());
    module.bias = item.bias;
    module.start = item.start;
    module.end = item.end;
    module.load_ticks = item.load_ticks;
    if (!fields.good() || item.end < item.start) return false;
    metadata_.modules.push_back(std::move(module));
    return true;
}

bool MetadataParser::add_unload(std::span<const uint8_t> payload) {
    Fields fields(payload);
    const auto item = fields.get<format::ModuleUnloadItem>();
    if (!fields.good()) return false;
    unloads_[item.id] = item.unload_ticks;
    return true;
}

bool MetadataParser::add_names(std::span<const uint8_t> payload) {
    Fields fields(payload);
    const auto names = fields.get<format::NamesItem>();
    for (uint32_t left = names.count; left > 0 && fields.good(); --left) {
        const auto entry = fields.get<format::NameEntry>();
        const std::string_view mangled = fields.take(entry.length);
        if (fields.good()) metadata_.names.add(names.module, entry.address, entry.size, mangled);
    }
    return fields.good();
}

bool MetadataParser::add_thread(std::span<const uint8_t> payload) {
    Fields fields(payload);
    const auto item = fields.get_at_least<format::ThreadItem>(offsetof(format::ThreadItem, stack_low));
    if (!fields.good()) return false;
    const std::string_view name(item.name, strnlen(item.name, sizeof item.name));
    threads_[item.serial] = {item.serial, item.tid, item.start_ticks, item.end_ticks, item.lost_records, std::string(name),
                             item.stack_low, item.stack_high};
    return true;
}

bool MetadataParser::add_notice(std::span<const uint8_t> payload) {
    Fields fields(payload);
    const auto item = fields.get<format::NoticeItem>();
    const std::string_view text = fields.string();
    if (!fields.good()) return false;
    if (item.code == static_cast<uint32_t>(format::NoticeCode::kMarksMissing)) metadata_.marks_missing = true;
    metadata_.notices.emplace_back(text);
    return true;
}

bool MetadataParser::add_recovery(std::span<const uint8_t> payload) {
    Fields fields(payload);
    const auto item = fields.get<format::RecoveryItem>();
    std::vector<MissingChunks> gaps;
    for (uint32_t left = item.gap_count; left > 0 && fields.good(); --left) {
        const auto gap = fields.get<format::RecoveredGap>();
        if (gaps.size() < Diagnostics::kMaxListed) gaps.push_back({gap.thread, gap.first, gap.count});
    }
    if (!fields.good()) return false;
    Recovery& sum = metadata_.recovery;
    sum.live_file_read |= (item.flags & format::kLiveFileReadAlong) != 0;
    sum.truncated |= (item.flags & format::kWasTruncated) != 0;
    sum.live_record_count += item.live_record_count;
    sum.damaged_count += item.damaged_count;
    sum.duplicate_chunk_count += item.duplicate_chunk_count;
    sum.missing_chunk_count += item.missing_chunk_count;
    if (sum.missing_chunks.size() < Diagnostics::kMaxListed) sum.missing_chunks.insert(sum.missing_chunks.end(), gaps.begin(), gaps.end());
    return true;
}

Metadata MetadataParser::finish() {
    std::ranges::stable_sort(metadata_.clock_pairs, {}, &format::ClockPair::ticks);
    for (auto& [serial, thread] : threads_) metadata_.threads.push_back(std::move(thread));
    for (ModuleLoad& module : metadata_.modules) {
        if (const auto unload = unloads_.find(module.id); unload != unloads_.end()) module.unload_ticks = unload->second;
    }
    return std::move(metadata_);
}

}  // namespace fnprof::trace

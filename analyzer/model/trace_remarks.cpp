#include "model/trace_remarks.h"

#include <algorithm>

#include "format/layout.h"

namespace fnprof::model {

namespace {

constexpr size_t kTold = 5;  // of a kind and trace

std::string counted(uint64_t count, const char* what) { return std::to_string(count) + ' ' + what + (count == 1 ? "" : "s"); }

std::string name_of(const Thread& thread) {
    std::string text = "thread " + std::to_string(thread.serial);
    if (!thread.name.empty()) text.append(" (").append(thread.name).append(")");
    return text;
}

// One remark for each of the first threads that have some of it, and one for the others together.
template <class Count, class Text>
void remark_each(std::span<const Thread> threads, const std::string& path, std::vector<std::string>& remarks, Count count, Text text) {
    size_t told = 0;
    uint64_t others = 0;
    uint64_t rest = 0;
    for (const Thread& thread : threads) {
        if (count(thread) == 0) continue;
        if (told++ < kTold) {
            remarks.push_back(path + ": " + name_of(thread) + ' ' + text(count(thread), thread.lost_ns));
        } else {
            ++others;
            rest += count(thread);
        }
    }
    if (others == 0) return;
    std::string rest_text = text(rest, 0);
    if (others > 1 && rest_text.starts_with("has ")) rest_text.replace(0, 3, "have");
    remarks.push_back(path + ": " + counted(others, "more thread") + ' ' + rest_text);
}

std::string seconds(uint64_t ns) {
    std::string micros = std::to_string(ns / 1000 % 1'000'000);
    return std::to_string(ns / 1'000'000'000) + '.' + std::string(6 - micros.size(), '0') + micros + " s";
}

}  // namespace

// Remarks get sorted: the words keep the sums behind the items.
void remark_damage(const trace::Diagnostics& found, const std::string& path, std::vector<std::string>& remarks) {
    const size_t damages = std::min(kTold, found.damaged_blocks.size());
    for (size_t i = 0; i < damages; ++i) {
        const trace::DamagedBlock& damage = found.damaged_blocks[i];
        std::string text = path + ": damaged at byte " + std::to_string(damage.offset);
        if (damage.bytes != 0) text.append(", ").append(counted(damage.bytes, "byte")).append(" of no use");
        remarks.push_back(text + ": " + damage.reason);
    }
    if (found.damaged_count > damages) {
        remarks.push_back(path + ": damaged in " + counted(found.damaged_count - damages, "more place"));
    }
    uint64_t told = 0;
    for (size_t i = 0; i < std::min(kTold, found.missing_chunks.size()); ++i) {
        const trace::MissingChunks& missing = found.missing_chunks[i];
        told += missing.count;
        remarks.push_back(path + ": thread " + std::to_string(missing.thread) + " lacks " + counted(missing.count, "chunk") + " from number " +
                          std::to_string(missing.first) + ", up to " + std::to_string(missing.count * format::kSlotsPerChunk) + " records");
    }
    if (found.missing_chunk_count > told) {
        remarks.push_back(path + ": threads lack " + counted(found.missing_chunk_count - told, "more chunk"));
    }
    if (found.truncated_at) {
        remarks.push_back(path + ": the file ends in the middle of a block; what follows byte " + std::to_string(*found.truncated_at) +
                          " is lost");
    }
    if (found.duplicate_chunk_count > 0) {
        remarks.push_back(path + ": " + counted(found.duplicate_chunk_count, "chunk") +
                          " more than once in the file; the first of each was read");
    }
}

void remark_threads(std::span<const Thread> threads, uint64_t lost_records, const std::string& path, std::vector<std::string>& remarks) {
    uint64_t known = 0;
    for (const Thread& thread : threads) known += thread.lost_records;
    remark_each(threads, path, remarks, [](const Thread& thread) { return thread.lost_records; },
                [](uint64_t count, uint64_t) { return "lost " + counted(count, "record") + " for want of room"; });
    if (lost_records > known) {
        remarks.push_back(path + ": " + counted(lost_records - known, "record") +
                          " could not be written, or belonged to threads that could not be given a ring");
    }
    remark_each(threads, path, remarks, [](const Thread& thread) { return thread.lost_ns; },
                [](uint64_t, uint64_t ns) {
                    return "has holes" + (ns == 0 ? std::string() : " of " + seconds(ns) + " together") +
                           ": that time is in no function's, and who called whom just after them is judged by what the next records prove";
                });
    remark_each(threads, path, remarks, [](const Thread& thread) { return thread.torn_records; },
                [](uint64_t count, uint64_t) {
                    return "left " + counted(count, "record") + " unfinished: " + (count == 1 ? "it was" : "they were") +
                           " ended or jumped away from in the middle";
                });
    remark_each(threads, path, remarks, [](const Thread& thread) { return thread.unmatched_exits; },
                [](uint64_t count, uint64_t) { return "has " + counted(count, "function exit") + " without an entry, not counted as calls"; });
}

}  // namespace fnprof::model

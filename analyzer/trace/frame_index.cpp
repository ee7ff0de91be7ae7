#include "trace/frame_index.h"

#include <zstd.h>
#include <zstd_errors.h>

#include <algorithm>
#include <cstring>

#include "trace/trace_error.h"

namespace fnprof::trace {

namespace {

constexpr uint32_t kSkippableMask = 0xfffffff0;
constexpr size_t kSkippableHeaderBytes = 8;
constexpr uint64_t kFirstBlockSearch = 64 << 20;  // a file without a block in so many bytes is something else

struct Inspection {
    enum class Kind { kBlock, kLateArea, kSeekTable, kSkippable, kCut, kBad } kind = Kind::kBad;
    uint64_t bytes = 0;  // of the frame; unless cut or bad
    FrameHeader header;  // of blocks; status and reason also of what is cut or bad
    LateArea late_area;
    uint64_t entry_count = 0;  // of seek tables

    bool usable() const { return kind != Kind::kCut && kind != Kind::kBad; }
};

class Scanner {
  public:
    Scanner(const Source& source, Diagnostics& diagnostics) : source_(source), window_(source), diagnostics_(diagnostics) {}

    FrameIndex run() {
        uint64_t at = first_frame();
        while (at < source_.size()) {
            const Inspection frame = inspect(at);
            if (frame.usable()) {
                keep(at, frame);
                at = after(at, frame.bytes);
            } else {
                at = recover(at, at + 1, frame);
            }
        }
        return std::move(index_);
    }

  private:
    using Kind = Inspection::Kind;

    // Decides whether this is a trace at all; returns where its first sound frame begins.
    uint64_t first_frame() {
        if (source_.size() == 0) {
            throw TraceError(TraceError::Kind::kEmpty,
                             source_.name() + " is empty: the program that writes it has recorded nothing yet, was killed before it could, or could not write");
        }
        const Inspection first = inspect(0);
        if (first.usable()) return 0;
        if (first.header.status == FrameStatus::kNewerVersion) {
            throw TraceError(TraceError::Kind::kNewerVersion,
                             source_.name() + " was written by a newer fnprof than this one reads: update fnprof-analyze");
        }
        if (is_live_file()) {
            throw TraceError(TraceError::Kind::kNotATrace, source_.name() + " is a live file, the rings of a process: name the trace that it lies "
                                                                            "beside, and it is read along");
        }
        if (first.header.status == FrameStatus::kForeign) {
            throw TraceError(TraceError::Kind::kNotATrace, source_.name() + " is compressed data but not a trace of fnprof");
        }
        const std::optional<uint64_t> next = find_frame(1, std::min(source_.size(), kFirstBlockSearch));
        if (!next) {
            throw TraceError(TraceError::Kind::kNotATrace,
                             source_.name() + (first.kind == Kind::kCut ? " ends within its first block: nothing of it can be read"
                                                                        : " is not a trace of fnprof, or is damaged throughout"));
        }
        diagnostics_.add_damage(0, *next, first.header.reason);
        return *next;
    }

    bool is_live_file() {
        const std::span<const uint8_t> head = window_.at(0, sizeof format::kLiveMagic);
        return head.size() == sizeof format::kLiveMagic && std::memcmp(head.data(), format::kLiveMagic, head.size()) == 0;
    }

    Inspection inspect(uint64_t at) {
        Inspection result;
        const std::span<const uint8_t> head = window_.at(at, kSkippableHeaderBytes);
        uint32_t words[2] = {};
        std::memcpy(words, head.data(), head.size());
        if (head.size() < kSkippableHeaderBytes) {
            result.kind = Kind::kCut;
        } else if (words[0] == ZSTD_MAGICNUMBER) {
            inspect_block(at, result);
        } else if ((words[0] & kSkippableMask) == ZSTD_MAGIC_SKIPPABLE_START) {
            inspect_skippable(at, words[0], words[1], result);
        } else {
            result.header.reason = "no frame begins here";
        }
        return result;
    }

    void inspect_block(uint64_t at, Inspection& result) {
        constexpr size_t kFirstBlockBytes = (128 << 10) + 64;  // no zstd block is larger
        result.header = decoder_.peek(window_.at(at, kFirstBlockBytes));
        if (result.header.status == FrameStatus::kCut) result.kind = Kind::kCut;
        if (result.header.status != FrameStatus::kBlock) return;
        // Content that does not compress adds 3 bytes to each zstd block, of which there are a few: twice the content is generous.
        const uint64_t limit = std::min(source_.size() - at, 2 * result.header.content_bytes + kFirstBlockBytes);
        for (size_t bytes = 1 << 16;; bytes *= 4) {
            const std::span<const uint8_t> frame = window_.at(at, static_cast<size_t>(std::min<uint64_t>(bytes, limit)));
            const size_t size = ZSTD_findFrameCompressedSize(frame.data(), frame.size());
            if (!ZSTD_isError(size)) {
                result.kind = Kind::kBlock;
                result.bytes = size;
                return;
            }
            if (ZSTD_getErrorCode(size) != ZSTD_error_srcSize_wrong || (bytes >= limit && limit < source_.size() - at)) {
                result.header.status = FrameStatus::kDamaged;
                result.header.reason = "broken zstd frame";
                return;
            }
            if (bytes >= limit) {
                result.kind = Kind::kCut;
                result.header.reason = "cut within a block";
                return;
            }
        }
    }

    void inspect_skippable(uint64_t at, uint32_t magic, uint32_t bytes, Inspection& result) {
        result.bytes = kSkippableHeaderBytes + uint64_t{bytes};
        result.kind = Kind::kSkippable;
        const std::span<const uint8_t> head = window_.at(at + kSkippableHeaderBytes, sizeof(format::LateAreaHeader));
        format::LateAreaHeader area{};
        if (head.size() == sizeof area) std::memcpy(&area, head.data(), sizeof area);
        // A late area holds records, whatever has become of the last digit of its frame's magic.
        if (magic == format::kLateAreaFrame || area.magic == format::kRingMagic) {
            result.late_area = {at, result.bytes, at + kSkippableHeaderBytes + sizeof area, area};
            result.kind = magic == format::kLateAreaFrame && holds_together(area, bytes) ? Kind::kLateArea : Kind::kBad;
            result.header.reason = "broken late area";
        }
        if (result.kind != Kind::kBad && result.bytes > source_.size() - at) {
            result.kind = Kind::kCut;
            result.header.reason = "cut within a skippable frame";
        } else if (magic == format::kSeekTableFrame && result.kind == Kind::kSkippable) {
            inspect_seek_table(at + result.bytes, bytes, result);
        }
    }

    // Everything in it is checked that can be: no checksum stands by it.
    static bool holds_together(const format::LateAreaHeader& area, uint64_t bytes) {
        const uint64_t needed = sizeof area + uint64_t{area.slot_count} * sizeof(format::Slot);
        return area.magic == format::kRingMagic && area.slot_count <= format::kSlotsPerChunk && needed <= bytes &&
               bytes - needed < sizeof(format::Slot) && area.chunk.stale_ticks == 0;
    }

    void inspect_seek_table(uint64_t end, uint64_t bytes, Inspection& result) {
        format::SeekTail tail{};
        if (bytes >= sizeof tail) std::memcpy(&tail, window_.at(end - sizeof tail, sizeof tail).data(), sizeof tail);
        const bool sound = tail.magic == format::kBlockMagic && tail.entry_count <= UINT32_MAX / sizeof(format::SeekEntry) &&
                           tail.entry_count * sizeof(format::SeekEntry) + sizeof tail == bytes;
        result.kind = sound ? Kind::kSeekTable : Kind::kBad;
        result.entry_count = tail.entry_count;
        result.header.reason = "broken seek table";
    }

    void keep(uint64_t at, const Inspection& frame) {
        if (frame.kind == Kind::kBlock) index_.blocks.push_back({at, frame.bytes, frame.header});
        if (frame.kind == Kind::kLateArea) index_.late_areas.push_back(frame.late_area);
        if (frame.kind == Kind::kSeekTable) {
            index_.seek_tables.push_back({frame.entry_count, index_.blocks.size() - blocks_indexed_});
            blocks_indexed_ = index_.blocks.size();
        }
    }

    // Where to go on after a sound frame. When no frame begins at its end, its length may be what is damaged: the search then
    // starts inside it. (The frame itself is kept; decoding it will show.)
    uint64_t after(uint64_t at, uint64_t bytes) {
        const uint64_t end = at + bytes;
        if (end >= source_.size() || begins_with_magic(end)) return end;
        return recover(end, at + 1, inspect(end));
    }

    bool begins_with_magic(uint64_t at) {
        const std::span<const uint8_t> head = window_.at(at, sizeof(uint32_t));
        uint32_t word = 0;
        std::memcpy(&word, head.data(), head.size());
        return word == ZSTD_MAGICNUMBER || (word & kSkippableMask) == ZSTD_MAGIC_SKIPPABLE_START;
    }

    // `at`: where a frame should begin and none does. Returns where the next one begins, searching from `from` on.
    uint64_t recover(uint64_t at, uint64_t from, const Inspection& bad) {
        const std::optional<uint64_t> next = find_frame(from, source_.size());
        if (next && *next < at) return *next;
        if (next) {
            diagnostics_.add_damage(at, *next - at, bad.header.reason);
            return *next;
        }
        if (bad.kind == Kind::kCut) {
            diagnostics_.truncated_at = at;
            if (bad.header.status == FrameStatus::kBlock) index_.cut = bad.header.block;
        } else {
            diagnostics_.add_damage(at, source_.size() - at, bad.header.reason);
        }
        return source_.size();
    }

    // The first offset in [from, limit) at which a block or late area begins.
    std::optional<uint64_t> find_frame(uint64_t from, uint64_t limit) {
        constexpr size_t kPiece = 1 << 16;
        constexpr size_t kMagicBytes = 4;
        while (from < limit) {
            const std::span<const uint8_t> piece = window_.at(from, static_cast<size_t>(std::min<uint64_t>(kPiece, limit - from)));
            if (piece.size() < kMagicBytes) return std::nullopt;
            size_t at = 0;
            for (; at + kMagicBytes <= piece.size(); ++at) {
                uint32_t word;
                std::memcpy(&word, piece.data() + at, sizeof word);
                if (word == ZSTD_MAGICNUMBER || word == format::kLateAreaFrame) break;
            }
            from += at;
            if (at + kMagicBytes > piece.size()) continue;  // the piece's last bytes are looked at again with what follows
            const Inspection candidate = inspect(from);
            if (candidate.kind == Kind::kBlock || candidate.kind == Kind::kLateArea) return from;
            ++from;
        }
        return std::nullopt;
    }

    const Source& source_;
    SourceWindow window_;
    FrameDecoder decoder_;
    Diagnostics& diagnostics_;
    FrameIndex index_;
    size_t blocks_indexed_ = 0;  // in front of the last seek table
};

}  // namespace

FrameIndex index_frames(const Source& source, Diagnostics& diagnostics) { return Scanner(source, diagnostics).run(); }

}  // namespace fnprof::trace

#include "elf_image.h"

#include "bytes.h"
#include "elf_format.h"
#include "sys.h"

namespace fnprof::rt {

namespace {

constexpr uint64_t kPage = 4096;
constexpr size_t kMaxSegments = 64;  // real files have about a dozen

uint64_t page_down(uint64_t value) { return value & ~(kPage - 1); }
uint64_t page_up(uint64_t value) { return page_down(value + kPage - 1); }

// The first of the segments that can be what is mapped at `address`; executable ones are preferred, and among those one
// that begins there: small segments may share a page of the file.
const elf::ProgramHeader* find_segment(const elf::ProgramHeader* segments, size_t count, uint64_t offset) {
    const elf::ProgramHeader* best = nullptr;
    unsigned best_rank = 0;
    for (size_t i = 0; i < count; i++) {
        const elf::ProgramHeader& segment = segments[i];
        const uint64_t first = page_down(segment.offset);
        if (segment.type != elf::kLoad || offset < first ||
            offset - first >= page_up(segment.file_bytes + segment.offset - first))
            continue;
        const unsigned rank = 1 + (segment.flags & elf::kExecutable ? 2 : 0) + (first == offset ? 1 : 0);
        if (rank <= best_rank) continue;
        best = &segment;
        best_rank = rank;
    }
    return best;
}

// The notes in one segment: the build-id, and fnprof's own.
void read_notes(const ElfSource& source, const elf::ProgramHeader& segment, ElfImage& image) {
    constexpr int kMaxNotes = 64;  // a note for each time that the library was named in the link
    uint64_t at = segment.offset;
    const uint64_t end = at + segment.file_bytes;
    for (int notes = 0; notes < kMaxNotes && at + sizeof(elf::Note) <= end; notes++) {
        elf::Note note;
        char name[sizeof elf::kFnprofNote] = {};
        if (!source.read(at, &note, sizeof note)) return;
        at += sizeof note;
        if (note.name_bytes <= sizeof name && !source.read(at, name, note.name_bytes)) return;
        const uint64_t content = at + (uint64_t{note.name_bytes} + 3) / 4 * 4;
        if (image.build_id_bytes == 0 && note.type == elf::kBuildId && equal_bytes(name, "GNU", sizeof "GNU")) {
            const size_t bytes = note.content_bytes < sizeof image.build_id ? note.content_bytes : sizeof image.build_id;
            if (source.read(content, image.build_id, bytes)) image.build_id_bytes = static_cast<uint8_t>(bytes);
        } else if (note.type == elf::kFnprofBindings && note.content_bytes == kBindingCount * sizeof(uint32_t) &&
                   equal_bytes(name, elf::kFnprofNote, sizeof elf::kFnprofNote)) {
            image.bindings = image.bias + segment.address + (content - segment.offset);
        }
        at = content + (uint64_t{note.content_bytes} + 3) / 4 * 4;
    }
}

}  // namespace

// Context: collector, init; signal-safe.
bool ElfSource::read(uint64_t offset, void* to, size_t bytes) const {
    auto* at = static_cast<uint8_t*>(to);
    while (bytes != 0) {
        const long n = fd_ >= 0 ? sys::pread(fd_, at, bytes, offset)
                                : sys::read_memory(sys::gettid(), at, image_start_ + offset, bytes);
        if (n == -sys::kEintr) continue;
        if (n <= 0) return false;
        at += n;
        offset += static_cast<uint64_t>(n);
        bytes -= static_cast<size_t>(n);
    }
    return true;
}

// Context: collector, init; signal-safe. Uses about 4 KiB of stack.
bool read_elf_image(const ElfSource& source, uint64_t address, uint64_t offset, ElfImage& image) {
    elf::Header header;
    if (!source.read(0, &header, sizeof header) || !elf::is_ours(header)) return false;
    if (header.program_header_bytes != sizeof(elf::ProgramHeader)) return false;
    elf::ProgramHeader segments[kMaxSegments];
    const size_t count = header.program_header_count < kMaxSegments ? header.program_header_count : kMaxSegments;
    if (!source.read(header.program_headers, segments, count * sizeof segments[0])) return false;

    const elf::ProgramHeader* mapped = find_segment(segments, count, offset);
    if (mapped == nullptr) return false;
    zero_bytes(&image, sizeof image);
    // Within a segment, addresses and file offsets go in step; both ends of the page roundings agree.
    image.bias = address - (page_down(mapped->address) + (offset - page_down(mapped->offset)));
    uint64_t low = UINT64_MAX, high = 0;
    for (size_t i = 0; i < count; i++) {
        const elf::ProgramHeader& segment = segments[i];
        if (segment.type == elf::kLoad) {
            const uint64_t end = segment.address + segment.memory_bytes;
            if (end < segment.address) return false;
            low = segment.address < low ? segment.address : low;
            high = end > high ? end : high;
        }
        if (segment.type == elf::kNote) read_notes(source, segment, image);
    }
    image.start = image.bias + page_down(low);
    image.end = image.bias + page_up(high);
    return image.start <= address && address < image.end;
}

}  // namespace fnprof::rt

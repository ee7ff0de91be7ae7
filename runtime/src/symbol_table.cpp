#include "symbol_table.h"

#include "bytes.h"

namespace fnprof::rt {

namespace {

constexpr uint64_t kMaxSections = 65536;
constexpr uint64_t kMaxBuckets = 1 << 22;

struct DynamicFacts {
    uint64_t symbols, strings, string_bytes, hash, gnu_hash;
};

bool read_dynamic(const ElfSource& memory, const Module& module, DynamicFacts& facts) {
    elf::Header header;
    if (!memory.read(0, &header, sizeof header) || !elf::is_ours(header)) return false;
    if (header.program_header_bytes != sizeof(elf::ProgramHeader)) return false;
    facts = {};
    for (uint64_t i = 0; i < header.program_header_count; i++) {
        elf::ProgramHeader segment;
        if (!memory.read(header.program_headers + i * sizeof segment, &segment, sizeof segment)) return false;
        if (segment.type != elf::kDynamic) continue;
        uint64_t at = module.bias + segment.address - module.start;
        for (uint64_t left = segment.memory_bytes / sizeof(elf::Dynamic); left != 0; left--, at += sizeof(elf::Dynamic)) {
            elf::Dynamic entry;
            if (!memory.read(at, &entry, sizeof entry)) return false;
            // The C library turns the pointers into run-time addresses where the segment is writable.
            const uint64_t place = (entry.value >= module.start ? entry.value : entry.value + module.bias) - module.start;
            switch (entry.tag) {
                case elf::kDynamicEnd:
                    return facts.symbols != 0 && facts.strings != 0;
                case elf::kDynamicSymbolTable:
                    facts.symbols = place;
                    break;
                case elf::kDynamicStrings:
                    facts.strings = place;
                    break;
                case elf::kDynamicStringBytes:
                    facts.string_bytes = entry.value;
                    break;
                case elf::kDynamicHash:
                    facts.hash = place;
                    break;
                case elf::kDynamicGnuHash:
                    facts.gnu_hash = place;
                    break;
                default:
                    break;
            }
        }
    }
    return facts.symbols != 0 && facts.strings != 0;
}

// The dynamic segment does not say how many symbols there are, the hash tables do. GNU's: the chain that begins last,
// followed to its end.
bool count_by_gnu_hash(const ElfSource& memory, uint64_t table, uint64_t& count) {
    struct {
        uint32_t buckets, first_symbol, bloom_words, bloom_shift;
    } head;
    if (!memory.read(table, &head, sizeof head) || head.buckets > kMaxBuckets) return false;
    const uint64_t buckets = table + sizeof head + uint64_t{head.bloom_words} * 8;
    uint32_t last = 0;
    for (uint32_t i = 0; i < head.buckets; i++) {
        uint32_t first;
        if (!memory.read(buckets + uint64_t{i} * 4, &first, sizeof first)) return false;
        last = first > last ? first : last;
    }
    count = last;
    if (last < head.first_symbol) return last == 0;
    const uint64_t chains = buckets + uint64_t{head.buckets} * 4;
    for (uint32_t hash = 0; (hash & 1) == 0; count++)
        if (!memory.read(chains + (count - head.first_symbol) * 4, &hash, sizeof hash)) return false;
    return true;
}

bool count_by_hash(const ElfSource& memory, uint64_t table, uint64_t& count) {
    uint32_t head[2];  // buckets, chains: there is one chain entry a symbol
    if (!memory.read(table, head, sizeof head)) return false;
    count = head[1];
    return true;
}

}  // namespace

// Context: collector, end, under the metadata lock; signal-safe. The same holds for all of this file.
Sections::Sections(const ElfSource& file) {
    elf::Header header;
    if (!file.read(0, &header, sizeof header) || !elf::is_ours(header)) return;
    if (header.section_headers == 0 || header.section_header_bytes != sizeof(elf::SectionHeader)) return;
    uint64_t count = header.section_header_count;
    if (count == 0) {  // more than fit into 16 bits: the first header's size tells
        elf::SectionHeader first;
        if (!file.read(header.section_headers, &first, sizeof first)) return;
        count = first.bytes;
    }
    if (count > kMaxSections || !memory_.reserve(count * sizeof(elf::SectionHeader))) return;
    if (file.read(header.section_headers, memory_.data(), count * sizeof(elf::SectionHeader)))
        count_ = static_cast<uint32_t>(count);
}

bool Sections::find_symbols(SymbolTable& table) const {
    const uint32_t kinds[] = {elf::kSymbolTable, elf::kDynamicSymbols};
    for (uint32_t kind : kinds)
        for (uint32_t i = 0; i < count_; i++) {
            const elf::SectionHeader& section = at(i);
            if (section.type != kind || section.entry_bytes != sizeof(elf::Symbol) || section.link >= count_) continue;
            const elf::SectionHeader& strings = at(section.link);
            if (section.bytes < sizeof(elf::Symbol) || strings.type != elf::kStringTable) continue;
            table = {section.offset, section.bytes / sizeof(elf::Symbol), strings.offset, strings.bytes};
            return true;
        }
    return false;
}

// [endbr64] [bnd] jmp *distance(%rip), as every linker for x86-64 writes it.
bool Sections::find_jump_slot(const ElfSource& file, uint64_t address, uint64_t& slot) const {
    constexpr uint8_t kEndbr64[] = {0xf3, 0x0f, 0x1e, 0xfa}, kJump[] = {0xff, 0x25};
    constexpr uint8_t kBnd = 0xf2;
    uint8_t code[sizeof kEndbr64 + 1 + sizeof kJump + sizeof(int32_t)] = {};
    for (uint32_t i = 0; i < count_; i++) {
        const elf::SectionHeader& section = at(i);
        const uint64_t within = address - section.address;
        if (!is_code(static_cast<uint16_t>(i)) || section.type == elf::kNoBits || within >= section.bytes) continue;
        const uint64_t left = section.bytes - within;
        if (!file.read(section.offset + within, code, left < sizeof code ? static_cast<size_t>(left) : sizeof code)) return false;
        size_t length = equal_bytes(code, kEndbr64, sizeof kEndbr64) ? sizeof kEndbr64 : 0;
        if (code[length] == kBnd) length++;
        if (!equal_bytes(code + length, kJump, sizeof kJump)) return false;
        length += sizeof kJump;
        int32_t distance;
        copy_bytes(&distance, code + length, sizeof distance);
        length += sizeof distance;
        slot = address + length + static_cast<uint64_t>(int64_t{distance});
        return true;
    }
    return false;
}

uint64_t Sections::find_resolver(const ElfSource& file, uint64_t address) const {
    constexpr uint64_t kBatch = 64;
    uint64_t slot;
    if (!find_jump_slot(file, address, slot)) return 0;
    for (uint32_t i = 0; i < count_; i++) {
        const elf::SectionHeader& section = at(i);
        if (section.type != elf::kRelocations || section.entry_bytes != sizeof(elf::Relocation)) continue;
        const uint64_t relocations = section.bytes / sizeof(elf::Relocation);
        for (uint64_t done = 0; done < relocations; done += kBatch) {
            elf::Relocation batch[kBatch];
            const uint64_t some = relocations - done < kBatch ? relocations - done : kBatch;
            if (!file.read(section.offset + done * sizeof batch[0], batch, static_cast<size_t>(some) * sizeof batch[0])) break;
            for (uint64_t k = 0; k < some; k++)
                if (batch[k].type == elf::kIndirectRelative && batch[k].offset == slot) return batch[k].addend;
        }
    }
    return 0;
}

bool find_mapped_symbols(const ElfSource& memory, const Module& module, SymbolTable& table) {
    DynamicFacts facts;
    if (!read_dynamic(memory, module, facts)) return false;
    uint64_t count = 0;
    const bool counted = facts.hash != 0 ? count_by_hash(memory, facts.hash, count)
                                         : facts.gnu_hash != 0 && count_by_gnu_hash(memory, facts.gnu_hash, count);
    table = {facts.symbols, count, facts.strings, facts.string_bytes};
    return counted && count != 0;
}

}  // namespace fnprof::rt

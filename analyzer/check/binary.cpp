#include "check/binary.h"

#include <gelf.h>
#include <sys/stat.h>
#include <sys/xattr.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>

#include "check/code_scan.h"
#include "symbol/elf_file.h"

namespace fnprof::check {

namespace {

constexpr std::string_view kEnter = "__cyg_profile_func_enter", kBareEnter = "__cyg_profile_func_enter_bare", kFnprofEnter = "fnprof_enter";
// What the runtime looks at when it decides whether exceptions and longjmp are recorded.
constexpr std::string_view kSeen[] = {"__cxa_begin_catch", "longjmp", "__longjmp_chk"};
constexpr std::string_view kWrap = "__wrap_";
constexpr std::string_view kNoteOwner = "fnprof";

struct Symbol {
    std::string_view name;
    uint64_t address;
    uint64_t size;
    bool function;
};

// "_ZN1XC1Ev" and "_ZN1XC2Ev" are one constructor: the variants' digits are taken for one, wherever they stand.
std::string without_variant(std::string_view name) {
    std::string text(name);
    for (size_t i = 0; i + 2 < text.size(); ++i)
        if ((text[i] == 'C' || text[i] == 'D') && text[i + 1] >= '0' && text[i + 1] <= '5' && text[i + 2] == 'E') text[i + 1] = '0';
    return text;
}

std::string machine_name(const GElf_Ehdr& header) {
    if (header.e_machine == EM_386) return "32-bit x86";
    if (header.e_machine == EM_X86_64) return "x32 (32-bit pointers)";
    if (header.e_machine == EM_AARCH64) return "64-bit ARM";
    if (header.e_machine == EM_ARM) return "32-bit ARM";
    if (header.e_machine == EM_RISCV) return "RISC-V";
    if (header.e_machine == EM_PPC64) return "64-bit PowerPC";
    return "machine " + std::to_string(header.e_machine);
}

class Reader {
  public:
    Reader(const symbol::ElfFile& file, Binary& to) : elf_(file.handle()), to_(to) {}

    void read() {
        GElf_Ehdr header;
        if (gelf_getehdr(elf_, &header) == nullptr) throw Unreadable(to_.path + " is a broken ELF file");
        to_.x86_64 = header.e_machine == EM_X86_64 && gelf_getclass(elf_) == ELFCLASS64;
        if (!to_.x86_64) to_.machine = machine_name(header);
        object_ = header.e_type == ET_REL;
        read_segments();
        each_section([&](Elf_Scn* section, const GElf_Shdr& head, const char* name) { note_table(section, head, name); });
        each_section([&](Elf_Scn* section, const GElf_Shdr& head, const char* name) { read_section(section, head, name); });
        to_.kind = kind(header);
        if (to_.kind == FileKind::kOther || !to_.x86_64) return;
        for (const std::string_view name : inside_)
            if (!wrapped_.contains(name)) to_.unwrapped.emplace_back(name);
        std::ranges::sort(symbols_, [](const Symbol& a, const Symbol& b) { return a.address != b.address ? a.address < b.address : a.name < b.name; });
        if (!object_) count_calls();
        look_at_names();
    }

  private:
    template <class Visit>
    void each_section(Visit visit) {
        size_t names = 0;
        if (elf_getshdrstrndx(elf_, &names) != 0) names = 0;
        for (Elf_Scn* section = elf_nextscn(elf_, nullptr); section != nullptr; section = elf_nextscn(elf_, section)) {
            GElf_Shdr header;
            if (gelf_getshdr(section, &header) == nullptr) continue;
            const char* name = names == 0 ? nullptr : elf_strptr(elf_, names, header.sh_name);
            visit(section, header, name == nullptr ? "" : name);
        }
    }

    FileKind kind(const GElf_Ehdr& header) const {
        if (header.e_type == ET_REL) return FileKind::kObject;
        if (header.e_type == ET_EXEC || (header.e_type == ET_DYN && (to_.interpreted || position_independent_))) return FileKind::kExecutable;
        return header.e_type == ET_DYN ? FileKind::kLibrary : FileKind::kOther;
    }

    void read_segments() {
        size_t count = 0;
        if (elf_getphdrnum(elf_, &count) != 0) return;
        for (size_t i = 0; i < count && i <= INT32_MAX; ++i) {
            GElf_Phdr segment;
            if (gelf_getphdr(elf_, static_cast<int>(i), &segment) == nullptr) continue;
            if (segment.p_type == PT_INTERP) to_.interpreted = true;
            if (segment.p_type != PT_LOAD || (segment.p_flags & PF_X) == 0) continue;
            Elf_Data* data = elf_getdata_rawchunk(elf_, static_cast<int64_t>(segment.p_offset), segment.p_filesz, ELF_T_BYTE);
            if (data != nullptr && data->d_buf != nullptr)
                code_.push_back({segment.p_vaddr, {static_cast<const uint8_t*>(data->d_buf), data->d_size}});
        }
    }

    // Global offset tables, with what the linker has put into them.
    void note_table(Elf_Scn* section, const GElf_Shdr& header, std::string_view name) {
        if (name != ".got" && name != ".got.plt") return;
        tables_.insert(header.sh_addr);
        Elf_Data* data = elf_rawdata(section, nullptr);
        if (data == nullptr || data->d_buf == nullptr) return;
        for (size_t at = 0; at + sizeof(uint64_t) <= data->d_size; at += sizeof(uint64_t)) {
            uint64_t value;
            std::memcpy(&value, static_cast<const char*>(data->d_buf) + at, sizeof value);
            slot_values_[header.sh_addr + at] = value;
        }
    }

    // Slots that hold one of these addresses from the start, or as soon as the file is in memory.
    std::set<uint64_t> slots_of(const std::set<uint64_t>& addresses) const {
        std::set<uint64_t> slots;
        for (const auto& [slot, value] : slot_values_)
            if (addresses.contains(value)) slots.insert(slot);
        return slots;
    }

    void read_section(Elf_Scn* section, const GElf_Shdr& header, std::string_view name) {
        if (name.starts_with(".gnu.lto_")) to_.lto_object = object_;
        if (name == ".debug_info" || name == ".zdebug_info") to_.debug_info = header.sh_type != SHT_NOBITS;
        switch (header.sh_type) {
            case SHT_SYMTAB:
            case SHT_DYNSYM:
                read_symbols(section, header);
                break;
            case SHT_DYNAMIC:
                read_dynamic(section, header);
                break;
            case SHT_RELA:
                read_relocations(section, header);
                break;
            case SHT_NOTE:
                read_notes(section);
                break;
            default:
                break;
        }
    }

    void read_symbols(Elf_Scn* section, const GElf_Shdr& header) {
        const bool dynamic = header.sh_type == SHT_DYNSYM;
        if (!dynamic) to_.symbol_table = true;
        each_entry(section, header, [&](Elf_Data* data, int index) {
            GElf_Sym symbol;
            if (gelf_getsym(data, index, &symbol) == nullptr) return;
            const char* name = elf_strptr(elf_, header.sh_link, symbol.st_name);
            if (name == nullptr || *name == '\0') return;
            note_symbol(name, symbol, dynamic);
            const bool function = GELF_ST_TYPE(symbol.st_info) == STT_FUNC;
            if (!dynamic && function && symbol.st_shndx != SHN_UNDEF) symbols_.push_back({name, symbol.st_value, symbol.st_size, function});
        });
    }

    void note_symbol(std::string_view name, const GElf_Sym& symbol, bool dynamic) {
        HookSymbol* hook = name == kEnter ? &to_.enter : name == kBareEnter ? &to_.bare_enter : name == kFnprofEnter ? &to_.fnprof_enter : nullptr;
        if (hook != nullptr && symbol.st_shndx == SHN_UNDEF) {
            if (dynamic || object_) hook->wanted = true;
        } else if (hook != nullptr) {
            hook->defined = true;
            hook->exported |= dynamic;
            hook->addresses.push_back(symbol.st_value);
        }
        if (symbol.st_shndx == SHN_UNDEF) return;
        if (name == "_GLOBAL_OFFSET_TABLE_") tables_.insert(symbol.st_value);
        for (const std::string_view seen : kSeen) {
            if (name == seen) inside_.insert(seen);
            if (name.starts_with(kWrap) && name.substr(kWrap.size()) == seen) wrapped_.insert(seen);
        }
    }

    void read_dynamic(Elf_Scn* section, const GElf_Shdr& header) {
        to_.dynamic = true;
        each_entry(section, header, [&](Elf_Data* data, int index) {
            GElf_Dyn entry;
            if (gelf_getdyn(data, index, &entry) == nullptr) return;
            if (entry.d_tag == DT_FLAGS_1) position_independent_ |= (entry.d_un.d_val & DF_1_PIE) != 0;
            const bool text = entry.d_tag == DT_NEEDED || entry.d_tag == DT_SONAME || entry.d_tag == DT_RPATH || entry.d_tag == DT_RUNPATH;
            const char* value = text ? elf_strptr(elf_, header.sh_link, entry.d_un.d_val) : nullptr;
            if (value == nullptr) return;
            if (entry.d_tag == DT_NEEDED) to_.needed.emplace_back(value);
            if (entry.d_tag == DT_SONAME) to_.soname = value;
            if (entry.d_tag == DT_RPATH) to_.rpath = value;
            if (entry.d_tag == DT_RUNPATH) to_.runpath = value;
        });
    }

    void read_relocations(Elf_Scn* section, const GElf_Shdr& header) {
        Elf_Scn* table = elf_getscn(elf_, header.sh_link);
        GElf_Shdr table_header;
        Elf_Data* symbols = table == nullptr ? nullptr : elf_getdata(table, nullptr);
        if (symbols == nullptr || symbols->d_buf == nullptr || gelf_getshdr(table, &table_header) == nullptr) return;
        each_entry(section, header, [&](Elf_Data* data, int index) {
            GElf_Rela relocation;
            GElf_Sym symbol;
            if (gelf_getrela(data, index, &relocation) == nullptr) return;
            if (GELF_R_TYPE(relocation.r_info) == R_X86_64_RELATIVE && !object_) {
                const auto slot = slot_values_.find(relocation.r_offset);
                if (slot != slot_values_.end()) slot->second = static_cast<uint64_t>(relocation.r_addend);
                return;
            }
            const uint64_t number = GELF_R_SYM(relocation.r_info);
            if (number > INT32_MAX || gelf_getsym(symbols, static_cast<int>(number), &symbol) == nullptr) return;
            const char* name = elf_strptr(elf_, table_header.sh_link, symbol.st_name);
            if (name == nullptr) return;
            if (object_) {
                if (std::string_view(name) == kEnter) ++to_.calls_of_wanted;
            } else if (std::string_view(name) == kEnter) {
                wanted_slots_.insert(relocation.r_offset);
            } else if (std::string_view(name) == kFnprofEnter) {
                fnprof_slots_.insert(relocation.r_offset);
            }
        });
    }

    void read_notes(Elf_Scn* section) {
        Elf_Data* data = elf_getdata(section, nullptr);
        if (data == nullptr || data->d_buf == nullptr) return;
        GElf_Nhdr header;
        size_t name = 0, content = 0;
        for (size_t at = 0; (at = gelf_getnote(data, at, &header, &name, &content)) > 0;) {
            const char* owner = static_cast<const char*>(data->d_buf) + name;
            if (header.n_namesz == kNoteOwner.size() + 1 && std::memcmp(owner, kNoteOwner.data(), header.n_namesz) == 0) to_.link_object = true;
        }
    }

    template <class Visit>
    void each_entry(Elf_Scn* section, const GElf_Shdr& header, Visit visit) {
        Elf_Data* data = header.sh_entsize == 0 ? nullptr : elf_getdata(section, nullptr);
        const size_t count = data == nullptr || data->d_buf == nullptr ? 0 : std::min<size_t>(data->d_size / header.sh_entsize, INT32_MAX);
        for (size_t i = 0; i < count; ++i) visit(data, static_cast<int>(i));
    }

    // Counts functions, by address, and finds the instrumented ones with several names.
    void look_at_names() {
        for (size_t i = 0; i < symbols_.size();) {
            const uint64_t address = symbols_[i].address;
            std::set<std::string> different;
            std::vector<std::string> names;
            for (; i < symbols_.size() && symbols_[i].address == address; ++i)
                if (symbols_[i].size != 0 && different.insert(without_variant(symbols_[i].name)).second) names.emplace_back(symbols_[i].name);
            ++to_.function_count;
            if (names.size() > 1 && calling_.contains(address)) to_.folded.push_back(std::move(names));
        }
    }

    void count_calls() {
        // The link object's hook is this file's own as far as its symbol goes; where the runtime is in the file, nothing but that
        // symbol leads to it.
        std::set<uint64_t> linked = find_stubs(code_, fnprof_slots_), own;
        for (const uint64_t address : to_.is_fnprof() ? std::vector<uint64_t>() : to_.enter.addresses)
            (linked.contains(address) || leads_to_runtime(address) ? linked : own).insert(address);
        std::set<uint64_t> linked_slots = slots_of(linked);
        linked_slots.insert(fnprof_slots_.begin(), fnprof_slots_.end());
        const std::vector<uint64_t> of_fnprof = find_calls(code_, {linked, linked_slots, tables_});
        const std::vector<uint64_t> of_wanted = find_calls(code_, {find_stubs(code_, wanted_slots_), wanted_slots_, tables_});
        const std::vector<uint64_t> of_own = find_calls(code_, {own, slots_of(own), tables_});
        to_.calls_of_fnprof = of_fnprof.size();
        to_.calls_of_wanted = of_wanted.size();
        to_.calls_of_own = of_own.size();
        for (const auto* calls : {&of_fnprof, &of_wanted, &of_own}) attribute(*calls);
        std::ranges::sort(to_.instrumented, [](const auto& a, const auto& b) { return a.calls != b.calls ? a.calls > b.calls : a.name < b.name; });
    }

    bool leads_to_runtime(uint64_t address) const {
        return std::ranges::any_of(to_.fnprof_enter.addresses, [&](uint64_t runtime) {
            return address == runtime || (to_.link_object && is_jump(code_, address, runtime));
        });
    }

    // `symbols_` is sorted by now.
    void attribute(const std::vector<uint64_t>& calls) {
        std::map<uint64_t, InstrumentedFunction> functions;
        for (const uint64_t call : calls) {
            const auto after = std::ranges::upper_bound(symbols_, call, {}, &Symbol::address);
            if (after == symbols_.begin()) continue;
            const Symbol& symbol = *std::prev(after);
            InstrumentedFunction& function = functions[symbol.address];
            function.name = symbol.name;
            calling_.insert(symbol.address);
            ++function.calls;
        }
        for (auto& [address, function] : functions) to_.instrumented.push_back(std::move(function));
    }

    Elf* elf_;
    Binary& to_;
    bool object_ = false;
    bool position_independent_ = false;
    std::vector<CodePiece> code_;
    std::vector<Symbol> symbols_;
    std::set<uint64_t> wanted_slots_, fnprof_slots_;
    std::set<std::string_view> inside_, wrapped_;  // of kSeen
    std::set<uint64_t> calling_;  // addresses of the functions that call the hook
    std::set<uint64_t> tables_;                // global offset tables
    std::map<uint64_t, uint64_t> slot_values_;  // and what is in their slots
};

std::string what_else(const std::string& path) {
    std::error_code error;
    const std::filesystem::file_status status = std::filesystem::status(path, error);
    if (status.type() == std::filesystem::file_type::not_found) return "there is no " + path;
    if (status.type() == std::filesystem::file_type::directory) return path + " is a directory";
    std::ifstream in(path, std::ios::binary);
    if (!in) return "cannot read " + path;
    char head[8] = {};
    in.read(head, sizeof head);
    const std::string_view start(head, sizeof head);
    if (start.starts_with("#!")) return path + " is a script: check the program that it runs";
    if (start.starts_with("!<arch>")) return path + " is an archive: check what is linked with it";
    if (start.starts_with("BC\xc0\xde")) return path + " is intermediate code of LLVM: check what is linked from it";
    return path + " is not an ELF file";
}

}  // namespace

bool Binary::is_fnprof() const { return soname.starts_with("libfnprof.so"); }

Binary read_binary(const std::string& path) {
    const std::unique_ptr<symbol::ElfFile> file = symbol::ElfFile::open(path);
    if (!file) throw Unreadable(what_else(path));
    Binary binary;
    binary.path = path;
    Reader(*file, binary).read();
    struct stat status{};
    if (stat(path.c_str(), &status) == 0) {
        binary.owner = status.st_uid;
        binary.group = status.st_gid;
        binary.mode = status.st_mode;
    }
    binary.capabilities = getxattr(path.c_str(), "security.capability", nullptr, 0) > 0;
    return binary;
}

}  // namespace fnprof::check

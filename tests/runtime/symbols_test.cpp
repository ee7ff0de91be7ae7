#include "symbols.h"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <cstdio>
#include <cstring>
#include <map>
#include <random>
#include <vector>
#include "support/module_queries.h"
#include "support/temporary_directory.h"

using namespace fnprof::rt;
namespace format = fnprof::format;

namespace {

const std::string kPlugin = std::filesystem::canonical(FNPROF_TEST_PLUGIN).string();

struct Symbol {
    std::string name;
    uint64_t size = 0;
    char type = '?';
};

// Every symbol of code, as nm has it. In its System V format a line is name|value|class|type|size|line|section.
std::multimap<uint64_t, Symbol> ask_nm(const std::string& path, const std::string& options = "") {
    const std::string command = FNPROF_TEST_NM " -f sysv --defined-only " + options + " '" + path + "'";
    std::FILE* pipe = popen(command.c_str(), "r");
    REQUIRE(pipe != nullptr);
    std::string text;
    for (char piece[65536]; const size_t n = std::fread(piece, 1, sizeof piece, pipe);) text.append(piece, n);
    pclose(pipe);
    std::multimap<uint64_t, Symbol> result;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        std::vector<std::string> fields;
        std::istringstream columns(line);
        for (std::string column; std::getline(columns, column, '|');) {
            const size_t first = column.find_first_not_of(' ');
            fields.push_back(first == std::string::npos ? ""
                                                        : column.substr(first, column.find_last_not_of(' ') - first + 1));
        }
        if (fields.size() < 6 || fields[2].empty() || std::strchr("tTwWi", fields[2][0]) == nullptr) continue;
        // An untyped weak symbol may be data.
        const bool label = fields[3] == "NOTYPE" && (fields[2] == "t" || fields[2] == "T");
        if (fields[3] != "FUNC" && fields[3] != "IFUNC" && !label) continue;
        result.emplace(std::stoull(fields[1], nullptr, 16),
                       Symbol{fields[0], fields[4].empty() ? 0 : std::stoull(fields[4], nullptr, 16), fields[2][0]});
    }
    return result;
}

struct Named {
    std::string name;
    uint32_t size;
};

struct Names {
    uint32_t module = 0;
    std::map<uint64_t, Named> by_address;
};

// Reads the one names item back.
Names read_names(const ItemWriter& writer) {
    Names result;
    if (writer.empty()) return result;
    format::ItemHeader header;
    format::NamesItem item;
    std::memcpy(&header, writer.data(), sizeof header);
    REQUIRE(header.type == static_cast<uint16_t>(format::ItemType::kNames));
    REQUIRE(writer.size() == (sizeof header + header.bytes + 7) / 8 * 8);
    const uint8_t* at = writer.data() + sizeof header;
    std::memcpy(&item, at, sizeof item);
    result.module = item.module;
    at += sizeof item;
    for (uint32_t i = 0; i < item.count; i++) {
        format::NameEntry entry;
        std::memcpy(&entry, at, sizeof entry);
        at += sizeof entry;
        result.by_address[entry.address] = {std::string(reinterpret_cast<const char*>(at), entry.length), entry.size};
        at += entry.length;
    }
    CHECK(at == writer.data() + sizeof header + header.bytes);
    CHECK(result.by_address.size() == item.count);
    return result;
}

constexpr uint64_t kBias = 0x7fab00000000;

// Asks for the names of `addresses` (as in the file) of the file at `path`.
Names names_of(const std::string& path, const std::vector<uint64_t>& addresses, uint32_t times = 1) {
    Modules modules;
    struct stat file {};
    REQUIRE(stat(path.c_str(), &file) == 0);
    // The module itself comes from a file that is sound; the one to read may be anything.
    std::string text;
    char line[8192];
    struct stat plugin {};
    REQUIRE(stat(kPlugin.c_str(), &plugin) == 0);
    std::snprintf(line, sizeof line, "%llx-%llx r-xp 00000000 %02x:%02x %ju %s\n", static_cast<unsigned long long>(kBias),
                  static_cast<unsigned long long>(kBias) + 0x1000, static_cast<unsigned>(plugin.st_dev >> 8 & 0xfff),
                  static_cast<unsigned>(plugin.st_dev & 0xff), static_cast<uintmax_t>(plugin.st_ino), kPlugin.c_str());
    text = line;
    modules.scan_text(text.data(), text.size(), 1);
    REQUIRE(modules.count() == 1);
    Module& module = modules.at(0);
    close_file(module);
    module.fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    module.file_dev = file.st_dev;
    module.file_ino = file.st_ino;
    module.bias = kBias;
    FunctionSet functions;
    for (uint64_t address : addresses) REQUIRE(functions.add(kBias + address, module.id));
    ItemWriter writer;
    Names names;
    for (uint32_t i = 0; i < times; i++) write_names(writer, modules, module, functions, [] {});
    names = read_names(writer);
    for (size_t place = 0; place < functions.capacity(); place++)
        if (functions.at(place).address != 0) CHECK(functions.at(place).named);
    writer.release();
    close_file(module);
    return names;
}

uint64_t address_in(const std::multimap<uint64_t, Symbol>& symbols, const std::string& name) {
    for (const auto& [address, symbol] : symbols)
        if (symbol.name == name) return address;
    FAIL("no symbol ", name);
    return 0;
}

// Against nm: for every address of code the name must be one of those there, of the strongest binding and the longest size.
void compare_with_nm(const std::string& path, const std::string& options = "") {
    const std::multimap<uint64_t, Symbol> symbols = ask_nm(path, options);
    REQUIRE(symbols.size() > 3);
    std::vector<uint64_t> addresses;
    for (auto at = symbols.begin(); at != symbols.end(); at = symbols.upper_bound(at->first))
        addresses.push_back(at->first);
    const Names names = names_of(path, addresses);
    CHECK(names.by_address.size() == addresses.size());
    const auto strength = [](char type) { return type == 'T' || type == 'i' ? 3 : type == 'W' || type == 'w' ? 2 : 1; };
    for (uint64_t address : addresses) {
        const auto found = names.by_address.find(address);
        CAPTURE(symbols.find(address)->second.name);
        REQUIRE(found != names.by_address.end());
        const auto [first, last] = symbols.equal_range(address);
        int strongest = 0;
        for (auto at = first; at != last; ++at) strongest = std::max(strongest, strength(at->second.type));
        uint64_t longest = 0;
        for (auto at = first; at != last; ++at)
            if (strength(at->second.type) == strongest) longest = std::max(longest, at->second.size);
        CAPTURE(found->second.name);
        bool listed = false;
        for (auto at = first; at != last; ++at)
            listed = listed || (at->second.name == found->second.name && strength(at->second.type) == strongest);
        CHECK(listed);
        CHECK(found->second.size == longest);
    }
}

}  // namespace

TEST_CASE("names are those of nm for every function of this program") {
    compare_with_nm(std::filesystem::read_symlink("/proc/self/exe").string());
}

TEST_CASE("few functions are named without reading the whole string table, alike") {
    const std::string self = std::filesystem::read_symlink("/proc/self/exe").string();
    const std::multimap<uint64_t, Symbol> symbols = ask_nm(self);
    const uint64_t main_address = address_in(symbols, "main");
    const Names names = names_of(self, {main_address});
    REQUIRE(names.by_address.size() == 1);
    CHECK(names.by_address.begin()->second.name == "main");
}

TEST_CASE("of several names at one address the better one is taken") {
    const std::multimap<uint64_t, Symbol> symbols = ask_nm(kPlugin);
    const auto name_at = [&](const std::string& symbol) {
        const uint64_t address = address_in(symbols, symbol);
        return names_of(kPlugin, {address}).by_address.at(address).name;
    };
    CHECK(name_at("plugin_global") == "plugin_global");
    CHECK(name_at("plugin_weak") == "plugin_weak");
    CHECK(name_at("plugin_alias_weak") == "plugin_alias_global");
    CHECK(name_at("plugin_twin_longer") == "plugin_twin_a");
}

TEST_CASE("a function is named once") {
    const uint64_t address = address_in(ask_nm(kPlugin), "plugin_global");
    CHECK(names_of(kPlugin, {address}, 3).by_address.size() == 1);
}

TEST_CASE("an address inside a function, or of no function, gets no name") {
    const std::multimap<uint64_t, Symbol> symbols = ask_nm(kPlugin);
    const Names names = names_of(kPlugin, {address_in(symbols, "plugin_global") + 1, 0x10, 0xfffffffffff0});
    CHECK(names.by_address.empty());
}

TEST_CASE("a library that was deleted after loading is named by what is mapped of it") {
    TemporaryDirectory directory;
    for (const char* style : {"gnu", "sysv"}) {
        write_file("gone.c",
                   "__attribute__((visibility(\"default\"))) int gone_exported(int x) { return x + 1; }\n"
                   "static int gone_hidden(int x) { return x + 2; }\n"
                   "int (*gone_address)(int) = gone_hidden;\n");
        REQUIRE(std::system((std::string("cc -shared -fPIC -Wl,--hash-style=") + style + " -o gone.so gone.c").c_str()) ==
                0);
        void* handle = dlopen("./gone.so", RTLD_NOW);
        REQUIRE(handle != nullptr);
        const auto exported = reinterpret_cast<uint64_t>(dlsym(handle, "gone_exported"));
        const uint64_t hidden = *static_cast<uint64_t*>(dlsym(handle, "gone_address"));
        std::filesystem::remove("gone.so");
        Modules modules;
        modules.start(1);
        Module& module = *modules.find(module_of(modules, exported, 5, 5));
        close_file(module);
        module.file_ino = 0;  // as for a user who may not open it through its mapping
        FunctionSet functions;
        REQUIRE(functions.add(exported, module.id));
        REQUIRE(functions.add(hidden, module.id));
        ItemWriter writer;
        write_names(writer, modules, module, functions, [] {});
        const Names names = read_names(writer);
        REQUIRE(names.by_address.size() == 1);
        CHECK(names.by_address.begin()->first == exported - module.bias);
        CHECK(names.by_address.begin()->second.name == "gone_exported");
        writer.release();
        dlclose(handle);
    }
}

TEST_CASE("a stripped library is named by its dynamic symbols") {
    TemporaryDirectory directory;
    const std::string stripped = directory.file("stripped.so");
    REQUIRE(std::system(("strip -o " + stripped + " " + kPlugin).c_str()) == 0);
    compare_with_nm(stripped, "-D");
}

TEST_CASE("names of any length are read, whole") {
    TemporaryDirectory directory;
    for (size_t length : {size_t{511}, size_t{512}, size_t{513}, size_t{5000}, size_t{100'000}}) {
        const std::string name(length, 'n');
        // A local label marks the place, the global function's name is the better one. The ballast makes the string table
        // too large to be read whole for one function.
        std::string source =
            ".text\nhere: .globl " + name + "\n.type " + name + ", @function\n" + name + ": ret\n.size " + name + ", 1\n";
        for (int i = 0; i < 1000; i++) source += "ballast_" + std::to_string(i) + ": nop\n";
        write_file("long.s", source);
        REQUIRE(std::system("as -o long.o long.s && ld -shared -o long.so long.o && " FNPROF_TEST_NM
                            " long.so | grep ' here' > here.txt") == 0);
        const uint64_t address = std::stoull(read_file("here.txt"), nullptr, 16);
        const Names names = names_of(directory.file("long.so"), {address});
        REQUIRE(names.by_address.size() == 1);
        CHECK(names.by_address.begin()->second.name == name);
    }
}

TEST_CASE("labels without a type are names in code and nothing in data") {
    TemporaryDirectory directory;
    write_file("labels.s", ".text\nstart_of_text: nop\ncode_label: ret\n.data\ndata_label: .quad 1\n");
    REQUIRE(std::system("as -o labels.o labels.s && ld -shared -o labels.so labels.o && " FNPROF_TEST_NM
                        " labels.so > labels.txt") == 0);
    std::map<std::string, uint64_t> addresses;
    std::ifstream in("labels.txt");
    std::string address, type, name;
    while (in >> address >> type >> name) addresses[name] = std::stoull(address, nullptr, 16);
    const Names names = names_of(directory.file("labels.so"), {addresses.at("code_label"), addresses.at("data_label")});
    REQUIRE(names.by_address.size() == 1);
    CHECK(names.by_address.at(addresses.at("code_label")).name == "code_label");
}

TEST_CASE("the slot of an ifunc is named like the ifunc, however the program is linked") {
    TemporaryDirectory directory;
    // As gcc 12 does for target_clones: callers, and the function itself, know the slot only.
    write_file("indirect.c",
               "#include <stdio.h>\n"
               "#include <elf.h>\n"
               "extern const Elf64_Ehdr __ehdr_start __attribute__((visibility(\"hidden\")));\n"
               "static int twice(int x) { return 2 * x; }\n"
               "static int thrice(int x) { return 3 * x; }\n"
               "static int (*choose_first(void))(int) { return twice; }\n"
               "static int (*choose_second(void))(int) { return thrice; }\n"
               "static int first(int) __attribute__((ifunc(\"choose_first\")));\n"
               "int second(int) __attribute__((ifunc(\"choose_second\"), visibility(\"hidden\")));\n"
               "int main(void) {\n"
               "    unsigned long a, b, start = (unsigned long)&__ehdr_start, base = __ehdr_start.e_type == ET_DYN ? start : 0;\n"
               "    __asm__(\"lea first(%%rip), %0\" : \"=r\"(a));\n"
               "    __asm__(\"lea second(%%rip), %0\" : \"=r\"(b));\n"
               "    printf(\"%lx %lx\\n\", a - base, b - base);\n"
               "    return first(1) + second(1) - 5;\n"
               "}\n");
    for (const char* flags : {"-fPIE -pie", "-fno-pie -no-pie", "-fPIE -pie -Wl,-z,now", "-fPIE -static-pie", "-static",
                              "-fPIE -pie -fcf-protection -Wl,-z,ibtplt"}) {
        CAPTURE(flags);
        REQUIRE(std::system((std::string("cc -O1 ") + flags + " -o indirect indirect.c && ./indirect > slots.txt").c_str()) == 0);
        std::istringstream in(read_file("slots.txt"));
        uint64_t first = 0, second = 0;
        in >> std::hex >> first >> second;
        REQUIRE(!in.fail());
        const Names names = names_of(directory.file("indirect"), {first, second, first + 1, second + 6});
        REQUIRE(names.by_address.size() == 2);
        CHECK(names.by_address.at(first).name == "first");
        CHECK(names.by_address.at(second).name == "second");
        CHECK(names.by_address.at(second).size == 0);
    }
}

TEST_CASE("a slot whose code or relocations are damaged has no name") {
    TemporaryDirectory directory;
    write_file("slot.s",
               ".text\n.type resolver, @function\nresolver: ret\n.size resolver, 1\n"
               ".globl chosen\n.hidden chosen\n.type chosen, @gnu_indirect_function\n.set chosen, resolver\n"
               ".globl _start\n_start: call chosen\nret\n");
    REQUIRE(std::system("as -o slot.o slot.s && ld -pie --no-dynamic-linker -o slot slot.o") == 0);
    const std::string good = read_file("slot");
    Elf64_Ehdr header;
    std::memcpy(&header, good.data(), sizeof header);
    std::vector<Elf64_Shdr> sections(header.e_shnum);
    std::memcpy(sections.data(), good.data() + header.e_shoff, sections.size() * sizeof(Elf64_Shdr));
    const auto find = [&](const auto& fits) {
        for (const Elf64_Shdr& section : sections)
            if (fits(section, good.c_str() + sections[header.e_shstrndx].sh_offset + section.sh_name)) return section;
        FAIL("no such section");
        return Elf64_Shdr{};
    };
    const Elf64_Shdr code =
        find([](const Elf64_Shdr&, const std::string& name) { return name == ".plt" || name == ".iplt"; });
    const Elf64_Shdr relocations = find([](const Elf64_Shdr& section, const std::string&) { return section.sh_type == SHT_RELA; });
    // The last entry: the first may be the one that leads to the loader.
    const uint64_t slot = code.sh_addr + code.sh_size - 16;
    const auto name_with = [&](size_t at, const std::string& bytes) {
        std::string changed = good;
        changed.replace(at, bytes.size(), bytes);
        write_file("changed", changed);
        const Names names = names_of(directory.file("changed"), {slot});
        return names.by_address.empty() ? std::string() : names.by_address.begin()->second.name;
    };
    const size_t code_at = code.sh_offset + code.sh_size - 16;
    CHECK(name_with(0, "\x7f") == "chosen");
    CHECK(name_with(code_at, "\x90") == "");
    CHECK(name_with(code_at + 2, "\xff\xff\xff\x7f") == "");
    const size_t entry = relocations.sh_offset + relocations.sh_size - sizeof(Elf64_Rela);
    CHECK(name_with(entry + offsetof(Elf64_Rela, r_info), std::string(1, R_X86_64_RELATIVE)) == "");
    CHECK(name_with(entry + offsetof(Elf64_Rela, r_addend), "\xff\xff\xff\xff\xff\xff\xff\xff") == "");
    for (size_t section = 0; section < sections.size(); section++) {
        if (sections[section].sh_type != SHT_RELA && (sections[section].sh_flags & SHF_EXECINSTR) == 0) continue;
        for (size_t field : {offsetof(Elf64_Shdr, sh_addr), offsetof(Elf64_Shdr, sh_offset), offsetof(Elf64_Shdr, sh_size)})
            for (char byte : {'\0', '\x7f', '\xff'}) {
                const std::string name =
                    name_with(header.e_shoff + section * sizeof(Elf64_Shdr) + field, std::string(8, byte));
                CAPTURE(name);
                CHECK((name.empty() || name == "chosen"));
            }
    }
}

TEST_CASE("files of 32 bits, of another machine and no ELF files at all give no names") {
    TemporaryDirectory directory;
    const std::string good = read_file(kPlugin);
    const uint64_t address = address_in(ask_nm(kPlugin), "plugin_global");
    const auto with = [&](size_t offset, char value) {
        std::string bytes = good;
        bytes[offset] = value;
        write_file("changed.so", bytes);
        return names_of(directory.file("changed.so"), {address}).by_address.size();
    };
    CHECK(with(EI_PAD, 0) == 1);
    CHECK(with(EI_CLASS, ELFCLASS32) == 0);
    CHECK(with(EI_DATA, ELFDATA2MSB) == 0);
    CHECK(with(offsetof(Elf64_Ehdr, e_machine), EM_386) == 0);
    CHECK(with(EI_MAG0, 'x') == 0);
    for (const std::string& bytes :
         {std::string(), std::string("\x7f"), good.substr(0, 63), good.substr(0, 64), std::string(10000, '\xff')}) {
        write_file("changed.so", bytes);
        CHECK(names_of(directory.file("changed.so"), {address}).by_address.empty());
    }
}

TEST_CASE("a file cut or damaged anywhere is survived") {
    TemporaryDirectory directory;
    const std::string good = read_file(kPlugin);
    std::vector<uint64_t> addresses;
    for (const auto& [address, symbol] : ask_nm(kPlugin)) addresses.push_back(address);
    std::mt19937 random(11);
    for (int i = 0; i < 300; i++) {
        std::string bytes = good;
        if (i % 3 == 0) bytes.resize(random() % bytes.size());
        Elf64_Ehdr header;
        std::memcpy(&header, good.data(), sizeof header);
        // Mostly in the headers and tables that are read, the rest anywhere.
        for (int change = 0; change < 8 && bytes.size() > 64; change++) {
            size_t at = random() % bytes.size();
            if (change < 3) at = 16 + random() % 48;
            if (change >= 3 && change < 7) at = header.e_shoff + random() % (header.e_shnum * sizeof(Elf64_Shdr));
            if (at < bytes.size()) bytes[at] = static_cast<char>(random() % 4 == 0 ? 0xff : random());
        }
        write_file("damaged.so", bytes);
        const Names names = names_of(directory.file("damaged.so"), addresses);
        CHECK(names.by_address.size() <= addresses.size());
    }
}

TEST_CASE("sizes and offsets at the end of the number range are survived") {
    TemporaryDirectory directory;
    const std::string good = read_file(kPlugin);
    const std::vector<uint64_t> addresses = {address_in(ask_nm(kPlugin), "plugin_global")};
    Elf64_Ehdr header;
    std::memcpy(&header, good.data(), sizeof header);
    for (size_t section = 0; section < header.e_shnum; section++)
        for (size_t field : {offsetof(Elf64_Shdr, sh_offset), offsetof(Elf64_Shdr, sh_size), offsetof(Elf64_Shdr, sh_link)})
            for (uint64_t value : {~uint64_t{0}, ~uint64_t{0} - 23, uint64_t{1} << 63, uint64_t{1} << 40}) {
                std::string bytes = good;
                const size_t width = field == offsetof(Elf64_Shdr, sh_link) ? 4 : 8;
                std::memcpy(bytes.data() + header.e_shoff + section * sizeof(Elf64_Shdr) + field, &value, width);
                write_file("damaged.so", bytes);
                CHECK(names_of(directory.file("damaged.so"), addresses).by_address.size() <= 1);
            }
}

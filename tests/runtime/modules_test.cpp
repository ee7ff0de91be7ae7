#include "modules.h"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <cinttypes>
#include <cstring>
#include <map>
#include <vector>
#include "support/module_queries.h"
#include "support/temporary_directory.h"

using namespace fnprof::rt;

namespace {

std::string path_of(Modules& modules, const Module& module) { return modules.path(module); }

Module* find_path(Modules& modules, const std::string& path, size_t occurrence = 0) {
    for (uint32_t i = 0; i < modules.count(); i++)
        if (path_of(modules, modules.at(i)) == path && occurrence-- == 0) return &modules.at(i);
    return nullptr;
}

// One line of /proc/self/maps.
std::string line(uint64_t start, uint64_t end, const char* permissions, uint64_t offset, const std::string& path) {
    struct stat file {};
    stat(path.c_str(), &file);
    char text[8192];
    std::snprintf(text, sizeof text, "%" PRIx64 "-%" PRIx64 " %s %08" PRIx64 " %02x:%02x %ju      %s%s\n", start, end,
                  permissions, offset, major(file.st_dev), minor(file.st_dev), static_cast<uintmax_t>(file.st_ino),
                  path.empty() ? "" : "           ", path.c_str());
    return text;
}

// The lines that the loader would make of an ELF file at `bias`.
std::string mapping_of(const std::string& path, uint64_t bias) {
    const std::string bytes = read_file(path);
    Elf64_Ehdr header;
    std::memcpy(&header, bytes.data(), sizeof header);
    std::string text;
    for (int i = 0; i < header.e_phnum; i++) {
        Elf64_Phdr segment;
        std::memcpy(&segment, bytes.data() + header.e_phoff + static_cast<size_t>(i) * sizeof segment, sizeof segment);
        if (segment.p_type != PT_LOAD) continue;
        const uint64_t first = segment.p_vaddr & ~uint64_t{4095};
        const uint64_t last = (segment.p_vaddr + segment.p_filesz + 4095) & ~uint64_t{4095};
        const std::string permissions = std::string(segment.p_flags & PF_R ? "r" : "-") +
                                        (segment.p_flags & PF_W ? "w" : "-") + (segment.p_flags & PF_X ? "x" : "-") + "p";
        text += line(bias + first, bias + last, permissions.c_str(), segment.p_offset & ~uint64_t{4095}, path);
    }
    return text;
}

void scan(Modules& modules, const std::string& text, uint64_t now) { modules.scan_text(text.data(), text.size(), now); }

struct Loaded {
    uint64_t bias, start, end;
};

// What the loader says, for comparison.
std::map<std::string, Loaded> ask_loader() {
    std::map<std::string, Loaded> result;
    dl_iterate_phdr(
        [](dl_phdr_info* info, size_t, void* data) {
            Loaded loaded{info->dlpi_addr, ~uint64_t{0}, 0};
            for (int i = 0; i < info->dlpi_phnum; i++) {
                if (info->dlpi_phdr[i].p_type != PT_LOAD) continue;
                const uint64_t first = (info->dlpi_addr + info->dlpi_phdr[i].p_vaddr) & ~uint64_t{4095};
                const uint64_t last =
                    (info->dlpi_addr + info->dlpi_phdr[i].p_vaddr + info->dlpi_phdr[i].p_memsz + 4095) & ~uint64_t{4095};
                loaded.start = first < loaded.start ? first : loaded.start;
                loaded.end = last > loaded.end ? last : loaded.end;
            }
            std::string name = info->dlpi_name;
            if (name.empty()) name = std::filesystem::read_symlink("/proc/self/exe").string();
            if (name == "linux-vdso.so.1") name = "[vdso]";
            if (name[0] == '/') name = std::filesystem::canonical(name).string();
            (*static_cast<std::map<std::string, Loaded>*>(data))[name] = loaded;
            return 0;
        },
        &result);
    return result;
}

const std::string kPlugin = std::filesystem::canonical(FNPROF_TEST_PLUGIN).string();
constexpr uint64_t kSomewhere = 0x7fab00000000;

}  // namespace

TEST_CASE("the modules of this process are those that the loader knows, extents and biases included") {
    Modules modules;
    modules.start(1);
    const std::map<std::string, Loaded> loader = ask_loader();
    CHECK(modules.count() == loader.size());
    for (const auto& entry : loader) {
        const std::string& path = entry.first;
        const Loaded& loaded = entry.second;
        CAPTURE(path);
        const Module* module = find_path(modules, path);
        REQUIRE(module != nullptr);
        CHECK(module->bias == loaded.bias);
        CHECK(module->start == loaded.start);
        CHECK(module->end == loaded.end);
        CHECK(module->load_ticks == 0);
        CHECK(module->unload_ticks == 0);
    }
    CHECK(find_path(modules, "[vdso]")->start == getauxval(AT_SYSINFO_EHDR));
}

TEST_CASE("an address's module is found, and an address of no file has none") {
    Modules modules;
    modules.start(1);
    int on_the_stack = 0;
    const auto in_libc = reinterpret_cast<uint64_t>(dlsym(RTLD_DEFAULT, "qsort"));
    Dl_info info;
    REQUIRE(dladdr(reinterpret_cast<void*>(in_libc), &info) != 0);
    const uint32_t id = module_of(modules, in_libc, 5, 5);
    REQUIRE(id != 0);
    CHECK(path_of(modules, *modules.find(id)) == std::filesystem::canonical(info.dli_fname).string());
    CHECK(module_of(modules, reinterpret_cast<uint64_t>(&on_the_stack), 5, 5) == 0);
    CHECK(module_of(modules, 0, 5, 5) == 0);
    CHECK(modules.find(0) == nullptr);
    CHECK(modules.find(modules.count() + 1) == nullptr);
}

TEST_CASE("a library is noticed when loaded and when unloaded, with the times of the scans") {
    Modules modules;
    modules.start(100);
    void* handle = dlopen(kPlugin.c_str(), RTLD_NOW);
    REQUIRE(handle != nullptr);
    const auto address = reinterpret_cast<uint64_t>(dlsym(handle, "plugin_global"));
    const uint32_t id = module_of(modules, address, 150, 200);
    REQUIRE(id != 0);
    Module& module = *modules.find(id);
    CHECK(path_of(modules, module) == kPlugin);
    CHECK(module.load_ticks == 100);
    CHECK(module.unload_ticks == 0);
    CHECK(module.fd >= 900);
    modules.before_unload(300);
    CHECK(modules.find(id)->unload_ticks == 0);
    dlclose(handle);
    modules.after_unload(400);
    CHECK(modules.find(id)->unload_ticks == 400);
    CHECK(module_of(modules, address, 350, 500) == id);
    CHECK(module_of(modules, address, 450, 500) == 0);
    // Its file stays within reach.
    CHECK(modules.open_file(*modules.find(id)) >= 0);
    close_file(*modules.find(id));
}

TEST_CASE("a library that came and went between two scans is known through the one before its unload") {
    Modules modules;
    modules.start(100);
    void* handle = dlopen(kPlugin.c_str(), RTLD_NOW);
    REQUIRE(handle != nullptr);
    const auto address = reinterpret_cast<uint64_t>(dlsym(handle, "plugin_global"));
    modules.before_unload(200);
    dlclose(handle);
    modules.after_unload(300);
    const uint32_t id = module_of(modules, address, 150, 400);
    REQUIRE(id != 0);
    CHECK(path_of(modules, *modules.find(id)) == kPlugin);
}

TEST_CASE("two files one after the other at the same addresses are two modules with disjoint lives") {
    TemporaryDirectory directory;
    const std::string a = directory.file("a.so"), b = directory.file("b.so");
    std::filesystem::copy_file(kPlugin, a);
    std::filesystem::copy_file(kPlugin, b);
    Modules modules;
    scan(modules, line(0x1000, 0x2000, "rw-p", 0, ""), 100);
    scan(modules, mapping_of(a, kSomewhere), 200);
    scan(modules, line(0x1000, 0x2000, "rw-p", 0, ""), 300);
    scan(modules, mapping_of(b, kSomewhere), 400);
    scan(modules, mapping_of(a, kSomewhere), 500);
    REQUIRE(modules.count() == 3);
    CHECK(path_of(modules, modules.at(0)) == a);
    CHECK(modules.at(0).load_ticks == 100);
    CHECK(modules.at(0).unload_ticks == 300);
    CHECK(path_of(modules, modules.at(1)) == b);
    CHECK(modules.at(1).load_ticks == 300);
    // b's end was not seen, a was found in its place: both at the last moment that is certain.
    CHECK(modules.at(1).unload_ticks == 400);
    CHECK(path_of(modules, modules.at(2)) == a);
    CHECK(modules.at(2).load_ticks == 400);
    std::vector<uint32_t> ids;
    modules.for_each_at(kSomewhere + 0x1000, 250, 350, [&](Module& module) { ids.push_back(module.id); });
    CHECK(ids == std::vector<uint32_t>{1, 2});
    ids.clear();
    modules.for_each_at(kSomewhere + 0x1000, 310, 320, [&](Module& module) { ids.push_back(module.id); });
    CHECK(ids == std::vector<uint32_t>{2});
    for (uint32_t i = 0; i < modules.count(); i++) close_file(modules.at(i));
}

TEST_CASE("a file mapped as data is no module, and the same file mapped twice as code is two") {
    Modules modules;
    scan(modules, line(kSomewhere, kSomewhere + 0x100000, "r--p", 0, kPlugin), 100);
    CHECK(modules.count() == 0);
    scan(modules,
         line(kSomewhere - 0x100000, kSomewhere - 0x80000, "r--p", 0, kPlugin) + mapping_of(kPlugin, kSomewhere) +
             mapping_of(kPlugin, kSomewhere + 0x10000000),
         200);
    REQUIRE(modules.count() == 2);
    CHECK(modules.at(0).bias == kSomewhere);
    CHECK(modules.at(1).bias == kSomewhere + 0x10000000);
    for (uint32_t i = 0; i < modules.count(); i++) close_file(modules.at(i));
}

TEST_CASE("a module whose code moved to anonymous huge pages is still there") {
    Modules modules;
    const std::string text = mapping_of(kPlugin, kSomewhere);
    scan(modules, text, 100);
    REQUIRE(modules.count() == 1);
    std::string moved;
    for (size_t at = 0; at < text.size();) {
        const size_t end = text.find('\n', at) + 1;
        const std::string one = text.substr(at, end - at);
        if (one.find("r-xp") == std::string::npos)
            moved += one;
        else
            moved += one.substr(0, one.find(" r-xp")) + " r-xp 00000000 00:00 0 \n";
        at = end;
    }
    REQUIRE(moved.find("00:00 0") != std::string::npos);
    scan(modules, moved, 200);
    CHECK(modules.count() == 1);
    CHECK(modules.at(0).unload_ticks == 0);
    close_file(modules.at(0));
}

TEST_CASE("a deleted library is read through its mapping") {
    TemporaryDirectory directory;
    const std::string path = directory.file("deleted.so");
    std::filesystem::copy_file(kPlugin, path);
    void* handle = dlopen(path.c_str(), RTLD_NOW);
    REQUIRE(handle != nullptr);
    std::filesystem::remove(path);
    Modules modules, reference;
    modules.start(1);
    const auto address = reinterpret_cast<uint64_t>(dlsym(handle, "plugin_global"));
    const uint32_t id = module_of(modules, address, 5, 5);
    REQUIRE(id != 0);
    const Module& module = *modules.find(id);
    CHECK(path_of(modules, module) == path + " (deleted)");
    Dl_info info;
    REQUIRE(dladdr(reinterpret_cast<void*>(address), &info) != 0);
    CHECK(module.bias == reinterpret_cast<uint64_t>(info.dli_fbase));
    scan(reference, mapping_of(kPlugin, kSomewhere), 1);
    REQUIRE(reference.count() == 1);
    CHECK(module.build_id_bytes == reference.at(0).build_id_bytes);
    CHECK(std::memcmp(module.build_id, reference.at(0).build_id, module.build_id_bytes) == 0);
    dlclose(handle);
    close_file(reference.at(0));
}

TEST_CASE("a file that took the place of the mapped one is not believed") {
    TemporaryDirectory directory;
    const std::string path = directory.file("plugin.so");
    std::filesystem::copy_file(kPlugin, path);
    void* handle = dlopen(path.c_str(), RTLD_NOW);
    REQUIRE(handle != nullptr);
    const auto address = reinterpret_cast<uint64_t>(dlsym(handle, "plugin_global"));
    Modules modules;
    modules.start(1);
    const uint32_t id = module_of(modules, address, 5, 5);
    REQUIRE(id != 0);
    close_file(*modules.find(id));
    std::filesystem::rename(path, directory.file("moved.so"));
    write_file(path, "something else");
    CHECK(modules.open_file(*modules.find(id)) == -1);
    dlclose(handle);
}

TEST_CASE("a descriptor that the program closed or reused is neither read nor closed") {
    Modules modules;
    scan(modules, mapping_of(kPlugin, kSomewhere), 1);
    REQUIRE(modules.count() == 1);
    Module& module = modules.at(0);
    const int fd = module.fd;
    REQUIRE(fd >= 0);
    const int other = open("/dev/null", O_RDONLY);
    REQUIRE(dup2(other, fd) == fd);
    const int again = modules.open_file(module);
    CHECK(again >= 0);
    CHECK(again != fd);
    CHECK(fcntl(fd, F_GETFD) >= 0);
    close_file(module);
    close(fd);
    close(other);
}

TEST_CASE("maps of any content are survived") {
    Modules modules;
    const std::string good = mapping_of(kPlugin, kSomewhere);
    for (const std::string& text :
         {std::string("\n\n\n"), std::string("garbage"), std::string("1000-"), std::string("1000-2000 r-xp"),
          good.substr(0, 30), std::string("7f00-7f10 r-xp 00000000 fe:00 12 /nowhere/at/all\n"),
          line(0x1000, 0x2000, "r-xp", 0, "/proc/self/maps"), line(0x1000, 0x2000, "r-xp", 0, "/dev/zero"),
          line(0x1000, 0x2000, "r-xp", 0xfffffffffffff000, kPlugin),
          "1000-2000 r-xp 00000000 00:00 0 [vdso]\n" + std::string(10000, 'x') + "\n"}) {
        scan(modules, text, 10);
        CHECK(modules.count() == 0);
    }
    scan(modules, good.substr(0, good.size() - 1), 20);  // no newline at the end
    CHECK(modules.count() == 1);
    close_file(modules.at(0));
}

TEST_CASE("paths with spaces and of any length are kept") {
    TemporaryDirectory directory;
    const std::string deep = directory.file(std::string(200, 'd'));
    std::filesystem::create_directory(deep);
    const std::string path = deep + "/a b (c).so";
    std::filesystem::copy_file(kPlugin, path);
    Modules modules;
    scan(modules, mapping_of(path, kSomewhere), 1);
    REQUIRE(modules.count() == 1);
    CHECK(path_of(modules, modules.at(0)) == path);
    close_file(modules.at(0));
}

TEST_CASE("each module and each unload is written once, and again in a forked child") {
    constexpr auto kAll = Modules::Unloads::kAll;
    Modules modules;
    scan(modules, mapping_of(kPlugin, kSomewhere), 100);
    ItemWriter writer;
    modules.write_items(writer, kAll);
    fnprof::format::ItemHeader header;
    fnprof::format::ModuleItem item;
    REQUIRE(writer.size() >= sizeof header + sizeof item);
    std::memcpy(&header, writer.data(), sizeof header);
    std::memcpy(&item, writer.data() + sizeof header, sizeof item);
    CHECK(header.type == static_cast<uint16_t>(fnprof::format::ItemType::kModule));
    CHECK(header.bytes == sizeof item + 4 + kPlugin.size() + 4 + modules.at(0).build_id_bytes);
    CHECK(item.id == 1);
    CHECK(item.bias == kSomewhere);
    CHECK(std::string(reinterpret_cast<const char*>(writer.data()) + sizeof header + sizeof item + 4, kPlugin.size()) ==
          kPlugin);
    const size_t first = writer.size();
    modules.write_items(writer, kAll);
    CHECK(writer.size() == first);
    scan(modules, line(0x1000, 0x2000, "rw-p", 0, ""), 200);
    modules.write_items(writer, kAll);
    CHECK(writer.size() == first + sizeof header + sizeof(fnprof::format::ModuleUnloadItem));
    modules.write_items(writer, kAll);
    CHECK(writer.size() == first + sizeof header + sizeof(fnprof::format::ModuleUnloadItem));
    writer.reset();
    modules.restart_in_child();
    modules.write_items(writer, kAll);
    CHECK(writer.size() == first + sizeof header + sizeof(fnprof::format::ModuleUnloadItem));
    writer.release();
    close_file(modules.at(0));
}

TEST_CASE("a library that comes back to its place goes on with its life, unless another was there meanwhile") {
    TemporaryDirectory directory;
    const std::string a = directory.file("a.so"), b = directory.file("b.so"), nothing = line(0x1000, 0x2000, "rw-p", 0, "");
    std::filesystem::copy_file(kPlugin, a);
    std::filesystem::copy_file(kPlugin, b);
    Modules modules;
    ItemWriter writer;
    uint64_t now = 100;
    scan(modules, nothing, now);
    for (int i = 0; i < 1000; i++) {
        scan(modules, mapping_of(a, kSomewhere), now += 100);
        scan(modules, nothing, now += 100);
        modules.write_items(writer, Modules::Unloads::kOfReplaced);
        REQUIRE(modules.at(0).unload_ticks == now);
    }
    CHECK(modules.count() == 1);
    CHECK(modules.at(0).load_ticks == 100);
    const size_t one_module = writer.size();

    const uint64_t last_end = now;
    scan(modules, mapping_of(b, kSomewhere), now += 100);
    scan(modules, nothing, now += 100);
    scan(modules, mapping_of(a, kSomewhere), now += 100);
    REQUIRE(modules.count() == 3);
    CHECK(modules.at(0).unload_ticks == last_end);
    CHECK(modules.at(2).load_ticks == now - 100);
    modules.write_items(writer, Modules::Unloads::kOfReplaced);
    // Two more modules, and the unloads of the two that have been replaced.
    const size_t unload = sizeof(fnprof::format::ItemHeader) + sizeof(fnprof::format::ModuleUnloadItem);
    CHECK(writer.size() == 3 * one_module + 2 * unload);

    // Elsewhere it is another one.
    scan(modules, mapping_of(a, kSomewhere + 0x1000000), now += 100);
    CHECK(modules.count() == 4);
    writer.release();
    for (uint32_t i = 0; i < modules.count(); i++) close_file(modules.at(i));
}

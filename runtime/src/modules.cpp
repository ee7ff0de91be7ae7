#include "modules.h"

#include "bytes.h"
#include "descriptor.h"
#include "elf_image.h"
#include "own_descriptors.h"
#include "proc_file.h"
#include "sys.h"

namespace fnprof::rt {

// One line of /proc/self/maps.
struct Modules::Mapping {
    uint64_t start, end, offset;
    bool executable;
    uint64_t dev, ino;
    const char* path;  // not terminated
    size_t path_length;
};

namespace {

constexpr uint64_t kMaxKeptFiles = 256;

class Reader {
  public:
    Reader(const char* at, const char* end) : at_(at), end_(end) {}
    bool hex(uint64_t& value) { return number(value, 16); }
    bool decimal(uint64_t& value) { return number(value, 10); }
    bool character(char expected) { return at_ < end_ && *at_++ == expected; }
    bool any(char& c) {
        if (at_ == end_) return false;
        c = *at_++;
        return true;
    }
    void skip_spaces() {
        while (at_ < end_ && *at_ == ' ') at_++;
    }
    const char* at() const { return at_; }

  private:
    bool number(uint64_t& value, unsigned base) {
        value = 0;
        const char* first = at_;
        for (; at_ < end_; at_++) {
            const char c = *at_;
            const unsigned digit = c >= '0' && c <= '9'   ? static_cast<unsigned>(c - '0')
                                   : c >= 'a' && c <= 'f' ? static_cast<unsigned>(c - 'a') + 10
                                                          : 99;
            if (digit >= base) break;
            value = value * base + digit;
        }
        return at_ != first;
    }

    const char* at_;
    const char* end_;
};

// As fstat has it, out of the major and minor number.
uint64_t make_device(uint64_t major, uint64_t minor) {
    return (minor & 0xff) | (major & 0xfff) << 8 | (minor & ~uint64_t{0xff}) << 12 | (major & ~uint64_t{0xfff}) << 32;
}

constexpr char kDeleted[] = " (deleted)";
constexpr size_t kDeletedLength = sizeof kDeleted - 1;

bool is_deleted(const char* path, size_t length) {
    return length > kDeletedLength && equal_bytes(path + length - kDeletedLength, kDeleted, kDeletedLength);
}

bool is_vdso(const char* path, size_t length) { return length == 6 && equal_bytes(path, "[vdso]", 6); }

// Libraries of the system are hardly ever instrumented, many, and not about to be deleted: their files are opened when
// a function of theirs is seen.
bool is_system_library(const char* path) {
    if (!starts_with(path, "/lib") && !starts_with(path, "/usr/lib")) return false;
    for (; *path != 0; path++)
        if (starts_with(path, ".so")) return true;
    return false;
}

// Opens without side effects; -1 when it is no regular file.
int open_regular(const char* path, sys::Stat& stat) {
    const long fd = sys::open(path, sys::kORdonly | sys::kONonblock | sys::kONoctty);
    if (sys::failed(fd)) return -1;
    if (!sys::failed(sys::fstat(static_cast<int>(fd), &stat)) && (stat.mode & sys::kModeTypeMask) == sys::kModeRegular)
        return static_cast<int>(fd);
    sys::close(static_cast<int>(fd));
    return -1;
}

TextBuffer& add_hex(TextBuffer& to, uint64_t value) {
    unsigned shift = 60;
    while (shift != 0 && value >> shift == 0) shift -= 4;
    for (;; shift -= 4) {
        to.add("0123456789abcdef"[value >> shift & 15]);
        if (shift == 0) return to;
    }
}

// Ways to a file that has no name any more: the executable's link, and (with the privilege to) the mapping's.
int open_deleted(uint64_t start, uint64_t end, uint64_t dev, uint64_t ino, sys::Stat& stat) {
    char link[64];
    TextBuffer text(link, sizeof link);
    add_hex(add_hex(text.add("/proc/self/map_files/"), start).add('-'), end);
    const char* const ways[] = {"/proc/self/exe", link};
    for (const char* way : ways) {
        const int fd = open_regular(way, stat);
        if (fd < 0) continue;
        if (stat.ino == ino && stat.dev == dev) return fd;
        sys::close(fd);
    }
    return -1;
}

bool same_build(const ElfImage& a, const ElfImage& b) {
    return a.build_id_bytes != 0 && a.build_id_bytes == b.build_id_bytes &&
           equal_bytes(a.build_id, b.build_id, a.build_id_bytes);
}

}  // namespace

// Context: init, under the metadata lock. The same, or collector, holds for all of this file; signal-safe.
void Modules::start(uint64_t now_ticks) { scan(now_ticks); }

bool Modules::scan(uint64_t now_ticks) {
    size_t bytes = 0;
    // A partial reading would make modules look unloaded. Not the process's: where main has left by pthread_exit, that is empty.
    if (!read_whole_file("/proc/thread-self/maps", scratch_, bytes)) return false;
    scan_text(reinterpret_cast<const char*>(scratch_.data()), bytes, now_ticks);
    return true;
}

void Modules::scan_text(const char* text, size_t bytes, uint64_t now_ticks) {
    if (bytes == 0) return;
    for (uint32_t i = 0; i < live_count_; i++) at(live()[i]).found = false;
    const uint32_t old_count = count_;
    uint64_t image_start = 0, image_dev = 0, image_ino = 0;
    const char* const end = text + bytes;
    for (const char* line = text; line < end;) {
        const char* line_end = line;
        while (line_end < end && *line_end != '\n') line_end++;
        Mapping mapping;
        Reader reader(line, line_end);
        char permissions[4];
        uint64_t major = 0, minor = 0;
        const bool whole = reader.hex(mapping.start) && reader.character('-') && reader.hex(mapping.end) &&
                           reader.character(' ') && reader.any(permissions[0]) && reader.any(permissions[1]) &&
                           reader.any(permissions[2]) && reader.any(permissions[3]) && reader.character(' ') &&
                           reader.hex(mapping.offset) && reader.character(' ') && reader.hex(major) &&
                           reader.character(':') && reader.hex(minor) && reader.character(' ') &&
                           reader.decimal(mapping.ino);
        if (whole) {
            reader.skip_spaces();
            mapping.executable = permissions[2] == 'x';
            mapping.dev = make_device(major, minor);
            mapping.path = reader.at();
            mapping.path_length = static_cast<size_t>(line_end - reader.at());
            // Where the file's beginning is mapped: the latest such mapping before this one. A vdso is all in one.
            if (mapping.offset == 0) {
                image_start = mapping.start;
                image_dev = mapping.dev;
                image_ino = mapping.ino;
            }
            const bool known_start = image_dev == mapping.dev && image_ino == mapping.ino;
            look_at(mapping, known_start ? image_start : 0);
        }
        line = line_end + 1;
    }
    settle_times(now_ticks != 0 ? now_ticks : 1, old_count);
}

void Modules::look_at(const Mapping& mapping, uint64_t image_start) {
    const bool vdso = is_vdso(mapping.path, mapping.path_length);
    if (mapping.ino == 0 && !vdso) return;
    // Any mapping of the file in the module's range shows that it is still there: its code may have been moved to huge
    // pages, which are anonymous.
    for (uint32_t i = 0; i < live_count_; i++) {
        Module& module = at(live()[i]);
        if (module.dev == mapping.dev && module.ino == mapping.ino && mapping.start >= module.start && mapping.start < module.end) {
            module.found = true;
            return;
        }
    }
    if (mapping.executable) add(mapping, image_start);
}

void Modules::add(const Mapping& mapping, uint64_t image_start) {
    if (!modules_.reserve((size_t{count_} + 1) * sizeof(Module))) return;
    if (!live_.reserve((size_t{live_count_} + 1) * sizeof(uint32_t))) return;
    if (!texts_.reserve(size_t{text_bytes_} + mapping.path_length + 1)) return;
    char* path = reinterpret_cast<char*>(texts_.data()) + text_bytes_;
    copy_bytes(path, mapping.path, mapping.path_length);
    path[mapping.path_length] = 0;

    sys::Stat stat{};
    int fd = -1;
    bool right_file = false;
    if (is_deleted(path, mapping.path_length)) {
        fd = open_deleted(mapping.start, mapping.end, mapping.dev, mapping.ino, stat);
        right_file = fd >= 0;
    } else if (mapping.ino != 0) {
        fd = open_regular(path, stat);
        // The device is not compared: btrfs and overlay file systems show another one in the maps.
        right_file = fd >= 0 && stat.ino == mapping.ino;
    }
    ElfImage image{};
    bool known = right_file && read_elf_image(ElfSource::file(fd), mapping.start, mapping.offset, image);
    if (!right_file && image_start != 0) {
        known = read_elf_image(ElfSource::memory(image_start), mapping.start, mapping.offset, image);
        ElfImage other;
        right_file = known && fd >= 0 && read_elf_image(ElfSource::file(fd), mapping.start, mapping.offset, other) &&
                     same_build(image, other);
    }
    if (fd >= 0 && !(known && right_file)) {
        sys::close(fd);
        fd = -1;
    }
    if (!known) return;
    if (revive(mapping, image)) {
        if (fd >= 0) sys::close(fd);
        return;
    }

    Module module{};
    module.id = count_ + 1;
    module.fd = -1;
    module.bias = image.bias;
    module.start = image.start;
    module.end = image.end;
    module.dev = mapping.dev;
    module.ino = mapping.ino;
    module.path = text_bytes_;
    module.path_length = static_cast<uint32_t>(mapping.path_length);
    copy_bytes(module.build_id, image.build_id, image.build_id_bytes);
    module.build_id_bytes = image.build_id_bytes;
    module.bindings = image.bindings;
    module.found = true;
    if (fd >= 0) {
        module.file_dev = stat.dev;
        module.file_ino = stat.ino;
        if (is_system_library(path) || !may_keep_another()) {
            sys::close(fd);
        } else if (in_own_descriptor_table()) {
            sys::close(fd);
            leave_to_program(module);
        } else {
            module.fd = move_high(fd);
        }
    }
    text_bytes_ += module.path_length + 1;
    enter(module);
}

void Modules::enter(const Module& module) {
    for (uint32_t i = 0; i < count_; i++)
        if (at(i).start < module.end && module.start < at(i).end) at(i).replaced = true;
    live()[live_count_++] = count_;
    at(count_++) = module;
}

// Whether the file is the one that was there last, and so goes on where it left off.
bool Modules::revive(const Mapping& mapping, const ElfImage& image) {
    for (uint32_t i = count_; i-- > 0;) {
        Module& module = at(i);
        if (module.start >= image.end || image.start >= module.end) continue;
        const bool same = module.unload_ticks != 0 && !module.replaced && !module.unload_written && module.dev == mapping.dev &&
                          module.ino == mapping.ino && module.bias == image.bias && module.start == image.start && module.end == image.end &&
                          module.build_id_bytes != 0 && module.build_id_bytes == image.build_id_bytes &&
                          equal_bytes(module.build_id, image.build_id, image.build_id_bytes) && module.path_length == mapping.path_length &&
                          equal_bytes(path(module), mapping.path, mapping.path_length);
        if (!same) return false;
        module.unload_ticks = 0;
        module.found = true;
        live()[live_count_++] = i;
        return true;
    }
    return false;
}

// What is new was absent at the last scan; what is gone was there until now, unless its place has been taken: then all that
// is known is that it happened since the last scan.
void Modules::settle_times(uint64_t now_ticks, uint32_t old_count) {
    for (uint32_t i = old_count; i < count_; i++) at(i).load_ticks = last_scan_ticks_;
    uint32_t left = 0;
    for (uint32_t i = 0; i < live_count_; i++) {
        const uint32_t position = live()[i];
        Module& module = at(position);
        if (module.found) {
            live()[left++] = position;
            continue;
        }
        module.unload_ticks = now_ticks;
        for (uint32_t j = old_count; j < count_; j++)
            if (at(j).start < module.end && module.start < at(j).end) module.unload_ticks = last_scan_ticks_;
        if (module.unload_ticks <= module.load_ticks) module.unload_ticks = module.load_ticks + 1;
    }
    live_count_ = left;
    last_scan_ticks_ = now_ticks;
}

void Modules::write_items(ItemWriter& writer, Unloads unloads) {
    for (uint32_t i = 0; i < count_; i++) {
        Module& module = at(i);
        if (!module.written) {
            writer.begin(format::ItemType::kModule);
            writer.put(format::ModuleItem{module.id, 0, module.load_ticks, module.bias, module.start, module.end});
            writer.put_string(path(module), module.path_length);
            writer.put_string(module.build_id, module.build_id_bytes);
            writer.finish();
            module.written = true;
        }
        if (module.unload_ticks != 0 && !module.unload_written && (module.replaced || unloads == Unloads::kAll)) {
            writer.write(format::ItemType::kModuleUnload, format::ModuleUnloadItem{module.id, 0, module.unload_ticks});
            module.unload_written = true;
        }
    }
}

void Modules::restart_in_child() {
    for (uint32_t i = 0; i < count_; i++) at(i).written = at(i).unload_written = false;
}

bool Modules::may_keep_another() const {
    const uint64_t share = sys::descriptor_limit() / 8;  // the program needs its numbers
    const uint64_t limit = share < kMaxKeptFiles ? share : kMaxKeptFiles;
    uint64_t open = 0;
    for (uint32_t i = 0; i < count_; i++) open += reinterpret_cast<const Module*>(modules_.data())[i].fd >= 0;
    return open < limit;
}

int Modules::open_path(const Module& module) {
    if (module.file_ino == 0) return -1;
    sys::Stat stat;
    const char* name = path(module);
    const int fd = is_deleted(name, module.path_length)
                       ? open_deleted(module.start, module.end, module.file_dev, module.file_ino, stat)
                       : open_regular(name, stat);
    if (fd < 0) return -1;
    if (stat.dev == module.file_dev && stat.ino == module.file_ino) return fd;
    sys::close(fd);
    return -1;
}

void Modules::keep_file(Module& module) {
    module.has_functions = true;
    keep(module);
}

void Modules::keep(Module& module) {
    if (module.fd >= 0 || !may_keep_another()) return;
    if (in_own_descriptor_table()) return leave_to_program(module);
    for (uint32_t i = 0; i < count_; i++)
        if (at(i).fd >= 0 && at(i).file_dev == module.file_dev && at(i).file_ino == module.file_ino) return;
    const int fd = open_path(module);
    if (fd >= 0) module.fd = move_high(fd);
}

void Modules::leave_to_program(Module& module) {
    module.file_due = true;
    files_due_.store(true, std::memory_order_relaxed);
}

void Modules::keep_files() {
    files_due_.store(false, std::memory_order_relaxed);
    for (uint32_t i = 0; i < count_; i++) {
        Module& module = at(i);
        if (!module.file_due) continue;
        module.file_due = false;
        keep(module);
    }
}

int Modules::open_file(Module& module) {
    if (is_file(module.fd, module.file_dev, module.file_ino)) return module.fd;
    module.fd = -1;  // closed by the program, or another file by now: not ours to close
    if (module.file_ino == 0) return -1;
    for (uint32_t i = 0; i < count_; i++) {
        const Module& other = at(i);
        if (other.fd >= 0 && other.file_dev == module.file_dev && other.file_ino == module.file_ino &&
            is_file(other.fd, other.file_dev, other.file_ino))
            return other.fd;
    }
    const int fd = open_path(module);
    if (fd >= 0) module.fd = move_high(fd);
    return module.fd;
}

}  // namespace fnprof::rt

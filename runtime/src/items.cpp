#include "items.h"

#include "sys.h"

namespace fnprof::rt {

// Context: any with the owner's lock; signal-safe. The same holds for all of ItemWriter.
void ItemWriter::begin(format::ItemType type) {
    item_ = size_;
    cut_ = false;
    put(format::ItemHeader{static_cast<uint16_t>(type), 0, 0});
}

void ItemWriter::put_bytes(const void* from, size_t bytes) {
    if (cut_ || bytes > UINT32_MAX / 2 || size_ - item_ > UINT32_MAX / 2 || !memory_.reserve(size_ + bytes)) {
        cut_ = true;
        return;
    }
    copy_bytes(memory_.data() + size_, from, bytes);
    size_ += bytes;
}

void ItemWriter::put_string(const void* from, size_t bytes) {
    put(static_cast<uint32_t>(bytes));
    put_bytes(from, bytes);
}

void ItemWriter::finish() {
    const uint64_t zero = 0;
    size_t bytes = size_ - item_ - sizeof(format::ItemHeader);
    if (!cut_) put_bytes(&zero, (8 - bytes % 8) % 8);
    if (cut_) {
        size_ = item_;
        failed_ = true;
        return;
    }
    patch_u32(item_ + offsetof(format::ItemHeader, bytes), static_cast<uint32_t>(bytes));
}

void ItemWriter::patch_u32(size_t position, uint32_t value) {
    if (position + sizeof value <= size_) copy_bytes(memory_.data() + position, &value, sizeof value);
}

namespace {

// What the kernel's struct new_utsname holds before the members that are not needed.
struct SystemNames {
    char system[65], host[65], release[65], version[65], machine[65], domain[65];
};

// Long command lines are cut: they are shown, not run again.
constexpr size_t kMaxCommandLine = 65536;

// argc and argv: /proc/self/cmdline holds the arguments, each ended by a zero byte.
void put_command_line(ItemWriter& writer) {
    const size_t count_at = writer.position();
    writer.put(uint32_t{0});
    long fd = sys::open("/proc/self/cmdline", sys::kORdonly);
    if (sys::failed(fd)) return;
    uint32_t count = 0;
    uint32_t length = 0;  // of the argument under way
    size_t length_at = 0;
    bool inside = false;
    size_t total = 0;
    char piece[1024];
    while (total < kMaxCommandLine) {
        long n = sys::read(static_cast<int>(fd), piece, sizeof piece);
        if (n == -sys::kEintr) continue;
        if (n <= 0) break;
        total += static_cast<size_t>(n);
        for (size_t at = 0; at < static_cast<size_t>(n);) {
            if (!inside) {
                length_at = writer.position();
                writer.put(uint32_t{0});
                count++;
                length = 0;
                inside = true;
            }
            size_t end = at;
            while (end < static_cast<size_t>(n) && piece[end] != 0) end++;
            writer.put_bytes(piece + at, end - at);
            length += static_cast<uint32_t>(end - at);
            writer.patch_u32(length_at, length);
            inside = end == static_cast<size_t>(n);
            at = end + 1;
        }
    }
    sys::close(static_cast<int>(fd));
    writer.patch_u32(count_at, count);
}

}  // namespace

// Context: init, with the metadata lock; signal-safe.
void write_process_item(ItemWriter& writer, const format::ProcessItem& process, const char* working_directory) {
    writer.begin(format::ItemType::kProcess);
    writer.put(process);
    char text[4096];
    long n = sys::readlink("/proc/self/exe", text, sizeof text);
    writer.put_string(text, sys::failed(n) ? 0 : static_cast<size_t>(n));
    if (working_directory != nullptr) {
        writer.put_string(working_directory);
    } else {
        n = sys::getcwd(text, sizeof text);  // the length includes the terminator
        writer.put_string(text, n <= 0 ? 0 : static_cast<size_t>(n) - 1);
    }
    auto& names = reinterpret_cast<SystemNames&>(text);
    names.host[0] = 0;
    sys::uname(&names);
    writer.put_string(names.host);
    put_command_line(writer);
    writer.finish();
}

}  // namespace fnprof::rt

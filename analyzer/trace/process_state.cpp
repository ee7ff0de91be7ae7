#include "trace/process_state.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cctype>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <string_view>

namespace fnprof::trace {

namespace {

bool same_boot(const uint8_t (&boot_id)[16]) {
    std::ifstream in("/proc/sys/kernel/random/boot_id");
    std::string text;
    if (!(in >> text)) return false;
    std::erase(text, '-');
    constexpr char kDigits[] = "0123456789abcdef";
    std::string ours;
    for (const uint8_t byte : boot_id) {
        ours += kDigits[byte >> 4];
        ours += kDigits[byte & 15];
    }
    return text == ours;
}

struct Stat {
    char state = 0;
    uint64_t threads = 0;
    uint64_t start = 0;
};

// "pid (name) S ...": the name may hold anything, so the fields are counted from the last parenthesis.
std::optional<Stat> read_stat(const std::string& folder) {
    std::ifstream in(folder + "/stat");
    std::string text;
    if (!std::getline(in, text, '\0')) return std::nullopt;
    const size_t name_end = text.rfind(')');
    if (name_end == std::string::npos) return std::nullopt;
    std::istringstream fields(text.substr(name_end + 1));
    constexpr int kState = 3, kThreads = 20, kStart = 22;
    Stat stat;
    std::string field;
    for (int number = kState; number <= kStart && fields >> field; ++number) {
        if (number == kState) stat.state = field[0];
        uint64_t* to = number == kThreads ? &stat.threads : number == kStart ? &stat.start : nullptr;
        if (to != nullptr) std::from_chars(field.data(), field.data() + field.size(), *to);
        if (number == kStart) return stat;
    }
    return std::nullopt;
}

bool is_alive(const format::ProcessItem& process, const std::string& folder) {
    if (process.pid == 0 || process.pid > INT32_MAX) return false;
    const std::optional<Stat> stat = read_stat(folder);
    // What may not be looked at is there.
    if (!stat) return kill(static_cast<pid_t>(process.pid), 0) == 0 || errno == EPERM;
    // A process whose first thread has left shows as a zombie while its other threads run.
    const bool ended = (stat->state == 'Z' || stat->state == 'X') && stat->threads <= 1;
    return stat->start == process.process_start && !ended;
}

enum class Mapped { kYes, kNo, kUnknown };

// Whether the memory map has a file. (inode and device; the file may have been renamed.)
Mapped look_in_maps(const std::string& path, const struct stat& file) {
    std::ifstream in(path);
    if (!in) return Mapped::kUnknown;
    bool empty = true;
    for (std::string line; std::getline(in, line);) {
        empty = false;
        std::istringstream fields(line);
        std::string range, rights, offset, device;
        uint64_t inode = 0;
        if (!(fields >> range >> rights >> offset >> device >> inode) || inode != file.st_ino) continue;
        char expected[32];
        std::snprintf(expected, sizeof expected, "%02x:%02x", major(file.st_dev), minor(file.st_dev));
        // File systems of subvolumes show another device here than to stat(): the inode alone decides there.
        if (device == expected || major(file.st_dev) == 0) return Mapped::kYes;
    }
    return empty ? Mapped::kUnknown : Mapped::kNo;
}

// Through any of the threads: that of one which has left is empty.
Mapped maps_file(const std::string& folder, const std::string& path) {
    struct stat file{};
    if (stat(path.c_str(), &file) != 0) return Mapped::kUnknown;
    std::error_code error;
    for (const auto& task : std::filesystem::directory_iterator(folder + "/task", error)) {
        const Mapped mapped = look_in_maps(task.path().string() + "/maps", file);
        if (mapped != Mapped::kUnknown) return mapped;
    }
    return Mapped::kUnknown;
}

}  // namespace

bool is_locked(const std::string& trace) {
    const int descriptor = open(trace.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor < 0) return false;
    struct flock lock{};
    lock.l_type = F_WRLCK;
    lock.l_whence = SEEK_SET;
    const bool locked = fcntl(descriptor, F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
    close(descriptor);
    return locked;
}

ProcessState process_state(const format::ProcessItem& process, const std::string& trace, const std::string& live) {
    if (is_locked(trace)) return ProcessState::kRunning;
    if (!same_boot(process.boot_id)) return ProcessState::kUnknown;
    const std::string folder = "/proc/" + std::to_string(process.pid);
    if (!is_alive(process, folder)) return ProcessState::kGone;
    return maps_file(folder, live) == Mapped::kNo ? ProcessState::kGone : ProcessState::kRunning;
}

}  // namespace fnprof::trace

#include "identity.h"

#include "bytes.h"
#include "sys.h"

namespace fnprof::rt {

namespace {

// Reads a small file of /proc whole; returns the number of bytes, 0 when there is none.
size_t read_small_file(const char* path, char* to, size_t capacity) {
    long fd = sys::open(path, sys::kORdonly);
    if (sys::failed(fd)) return 0;
    size_t length = 0;
    while (length < capacity) {
        long n = sys::read(static_cast<int>(fd), to + length, capacity - length);
        if (n == -sys::kEintr) continue;
        if (n <= 0) break;
        length += static_cast<size_t>(n);
    }
    sys::close(static_cast<int>(fd));
    return length;
}

bool read_process_stat(const char* path, ProcessStat& to) {
    char text[1024];  // the command is at most 64 bytes, the 50 numbers at most 20 each and mostly short
    size_t length = read_small_file(path, text, sizeof text);
    return length != 0 && parse_process_stat(text, length, to);
}

int hex_digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    return -1;
}

// "01234567-89ab-..." to 16 bytes.
void parse_boot_id(const char* text, size_t length, uint8_t* to) {
    size_t digits = 0;
    for (size_t i = 0; i < length && digits < 32; i++) {
        int value = hex_digit(text[i]);
        if (value < 0) continue;
        to[digits / 2] = static_cast<uint8_t>(to[digits / 2] << 4 | value);
        digits++;
    }
}

}  // namespace

bool read_own_stat(ProcessStat& to) { return read_process_stat("/proc/self/stat", to); }

bool read_stat(uint64_t pid, ProcessStat& to) {
    char path[40];
    TextBuffer(path, sizeof path).add("/proc/").add_decimal(pid).add("/stat");
    return read_process_stat(path, to);
}

// The fifth and last word of /proc/loadavg. Context: end; signal-safe.
uint32_t last_pid_begun() {
    char text[128];
    size_t length = read_small_file("/proc/loadavg", text, sizeof text);
    size_t at = length;
    while (at > 0 && text[at - 1] != ' ') at--;
    uint32_t value = 0;
    for (; at < length && text[at] >= '0' && text[at] <= '9'; at++) value = value * 10 + static_cast<uint32_t>(text[at] - '0');
    return value;
}

// Context: init; signal-safe.
void read_identity(ProcessIdentity& identity) {
    zero_bytes(&identity, sizeof identity);
    identity.pid = static_cast<uint64_t>(sys::getpid());
    identity.parent_pid = static_cast<uint64_t>(sys::getppid());
    ProcessStat stat;
    if (read_own_stat(stat)) identity.process_start = stat.start;
    char text[64];
    size_t length = read_small_file("/proc/sys/kernel/random/boot_id", text, sizeof text);
    parse_boot_id(text, length, identity.boot_id);
}

// Context: collector; signal-safe.
bool is_last_thread(int& exit_status) {
    ProcessStat stat;
    if (!read_own_stat(stat) || stat.state != 'Z' || stat.thread_count != 2) return false;
    exit_status = static_cast<int>(stat.exit_code >> 8 & 0xff);
    return true;
}

bool same_process(const ProcessIdentity& a, const ProcessIdentity& b) {
    return a.pid == b.pid && a.process_start == b.process_start && equal_bytes(a.boot_id, b.boot_id, sizeof a.boot_id);
}

// Context: init; signal-safe.
bool is_alive(const ProcessIdentity& other, const ProcessIdentity& self) {
    if (!equal_bytes(other.boot_id, self.boot_id, sizeof other.boot_id)) return false;
    // kill() takes a pid of 31 bits, and 0 or a negative one would mean a group.
    if (other.pid == 0 || other.pid > INT32_MAX) return false;
    ProcessStat stat;
    if (!read_stat(other.pid, stat)) return sys::kill(static_cast<int>(other.pid), 0) != -sys::kEsrch;
    // A process whose first thread has left by pthread_exit shows as a zombie while its other threads run.
    bool ended = (stat.state == 'Z' || stat.state == 'X') && stat.thread_count <= 1;
    return stat.start == other.process_start && !ended;
}

// "pid (comm) S ppid ...": comm may hold spaces and parentheses, so the fields are counted from the last ')'.
bool parse_process_stat(const char* text, size_t length, ProcessStat& to) {
    size_t at = length;
    while (at > 0 && text[at - 1] != ')') at--;
    if (at == 0 || at + 2 >= length) return false;
    to.state = text[at + 1];
    to.start_stack = 0;
    to.exit_code = 0;
    bool known = false;
    unsigned field = 3;  // that of the state
    at += 2;
    while (at < length) {
        if (text[at++] != ' ') return known;
        field++;
        bool negative = at < length && text[at] == '-';
        if (negative) at++;
        uint64_t value = 0;
        size_t first = at;
        for (; at < length && text[at] >= '0' && text[at] <= '9'; at++)
            value = value * 10 + static_cast<uint64_t>(text[at] - '0');
        if (at == first) return known;
        if (field == 4) to.parent_pid = value;
        if (field == 5) to.group = value;
        if (field == 6) to.session = value;
        if (field == 20) to.thread_count = value;
        if (field == 22) {
            to.start = value;
            known = true;
        }
        if (field == 28) to.start_stack = value;
        if (field == 52) to.exit_code = value;
    }
    return known;
}

}  // namespace fnprof::rt

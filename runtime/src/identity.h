// Which process this is, in words that no other process ever answers to: boot id, pid and start time. Unchanged by exec.
//
// Context: init (again in a forked child); signal-safe.
#pragma once

#include <cstddef>
#include <cstdint>

namespace fnprof::rt {

struct ProcessIdentity {
    uint8_t boot_id[16];
    uint64_t pid;
    uint64_t parent_pid;
    uint64_t process_start;  // field 22 of /proc/self/stat: clock ticks since boot
};

// Fields that the kernel does not tell (no /proc) are 0; pid and parent_pid are always there.
void read_identity(ProcessIdentity& identity);

bool same_process(const ProcessIdentity& a, const ProcessIdentity& b);

// Whether the process that wrote `other` still runs on this machine; `self` supplies the boot id. In doubt (another
// user's process behind hidepid) it lives. A zombie is dead: it writes no more.
bool is_alive(const ProcessIdentity& other, const ProcessIdentity& self);

// Whether all other threads of this process are gone; its first one stays as a zombie until the last. False where /proc does not tell.
// exit_status: the first thread's.
bool is_last_thread(int& exit_status);

// The fields of a /proc/PID/stat line that matter here.
struct ProcessStat {
    char state;
    uint64_t parent_pid;
    uint64_t group;
    uint64_t session;
    uint64_t thread_count;
    uint64_t start;
    uint64_t start_stack;  // address at which the first thread's stack began; 0 where it is not told
    uint64_t exit_code;  // as wait() has it; 0 where the line ends before
};
// False where /proc does not tell.
bool read_own_stat(ProcessStat& to);
bool read_stat(uint64_t pid, ProcessStat& to);

// The number of the process or thread that was begun last, in this process's pid namespace; 0 where /proc does not tell. Numbers are
// given in rising order, and from the beginning again once the greatest is reached.
uint32_t last_pid_begun();

bool parse_process_stat(const char* text, size_t length, ProcessStat& to);

}  // namespace fnprof::rt

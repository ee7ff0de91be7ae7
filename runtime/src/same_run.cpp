#include "same_run.h"

#include "bytes.h"
#include "sys.h"

namespace fnprof::rt {

namespace {

constexpr uint64_t kTickNs = 10'000'000;  // of start times in /proc: USER_HZ, 100 a second
constexpr int kMostAncestors = 64;

uint64_t g_beginning_ns;
uint64_t g_first_parent;

// Whether a process that this one knows by its number alone was `other`, and not a later one of the same number.
bool was(uint64_t pid, const ProcessIdentity& other) {
    ProcessStat now;
    return pid == other.pid && (!read_stat(pid, now) || now.start == other.process_start);
}

// Whether the process's parent is gone and another one has adopted it. Those that adopt are the first process and, in a session of
// its own, a user's service manager; a session's leader has its parent outside in any case.
bool is_orphan(uint64_t pid, const ProcessStat& process, const ProcessIdentity& other) {
    if (process.parent_pid == 1) return other.parent_pid != 1;
    ProcessStat parent;
    return process.session != pid && read_stat(process.parent_pid, parent) && parent.session != process.session;
}

// Whether of two processes that began in the same tick the first has the earlier number. Numbers are given in rising order, and no
// tick sees so many processes that the order could be another one when they are far apart: there the numbers began anew.
bool precedes(uint64_t pid, uint64_t later) {
    constexpr uint64_t kMostInTick = 10'000;
    const uint64_t distance = pid < later ? later - pid : pid - later;
    return (pid < later) == (distance <= kMostInTick);
}

bool began_after(uint64_t pid, const ProcessStat& process, const ProcessIdentity& other) {
    return process.start > other.process_start || (process.start == other.process_start && precedes(other.pid, pid));
}

// Whether this process, or an orphan that it comes from, began after `other` and before that one's last write.
bool began_meanwhile(const ProcessIdentity& other, uint64_t last_tick, uint32_t last_pid, uint64_t own_pid, const ProcessStat& own) {
    uint64_t pid = own_pid;
    ProcessStat at = own;
    if (began_after(pid, at, other)) {
        if (at.start < last_tick) return true;
        if (at.start == last_tick && last_pid != 0 && (pid == last_pid || precedes(pid, last_pid))) return true;
    }
    for (int i = 0; i < kMostAncestors && began_after(pid, at, other); i++) {
        // In the same tick either may have been first; but an orphan had a parent that was gone within it.
        if (at.start <= last_tick && is_orphan(pid, at, other)) return true;
        pid = at.parent_pid;
        if (!read_stat(pid, at)) break;
    }
    return false;
}

}  // namespace

void note_beginning() {
    g_beginning_ns = sys::clock_ns(sys::kClockRealtime);
    g_first_parent = static_cast<uint64_t>(sys::getppid());
}

uint64_t first_parent() { return g_first_parent; }

bool is_of_same_run(const ProcessIdentity& other, const Ending& ending, const ProcessIdentity& self) {
    if (!equal_bytes(other.boot_id, self.boot_id, sizeof other.boot_id)) return false;
    const uint64_t now_ns = sys::clock_ns(sys::kClockRealtime);
    if (ending.last_write_ns > now_ns) return false;  // the clock was set, or is another machine's
    if (ending.last_write_ns > g_beginning_ns) return true;
    ProcessStat own;
    if (!read_own_stat(own)) return false;
    // A number that has become ours is no group's and no parent's.
    if (other.pid != self.pid && (was(g_first_parent, other) || was(own.group, other) || was(own.session, other))) return true;
    const uint64_t ago_ns = now_ns - ending.last_write_ns, since_boot_ns = sys::clock_ns(sys::kClockBoottime);
    return ago_ns < since_boot_ns && began_meanwhile(other, (since_boot_ns - ago_ns) / kTickNs, ending.last_pid, self.pid, own);
}

}  // namespace fnprof::rt

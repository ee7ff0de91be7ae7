#include "output.h"

#include "../format/layout.h"
#include "bytes.h"
#include "descriptor.h"
#include "diag.h"
#include "naming.h"
#include "raw_frame.h"
#include "same_run.h"
#include "sys.h"

namespace fnprof::rt {

namespace {

constexpr uint32_t kMaxNumber = 10000;  // of trace.<pid>.<number>.zst
constexpr int kMode = 0666;             // less the umask

enum class Verdict : uint8_t {
    kOurs,     // opened, locked, empty
    kTaken,    // another name, quietly
    kForeign,  // another name, with a warning: not a trace, or not ours to replace
    kRefused,  // give up; `error` or `reason` says why
};

// The state of one search for a name.
struct Search {
    const ProcessIdentity& self;
    Output& output;
    uint64_t verbose;
    long error;          // with kRefused: a negative errno, or 0 and
    const char* reason;  // words
    uint64_t live_write_ns;  // when the live file beside the name was last written; 0: there is none
};

// Whose file it is, told by its first bytes.
enum class Owner : uint8_t {
    kNobody,   // a process that is gone, of an earlier run
    kSameRun,  // one that is gone, and whose trace is wanted beside ours
    kLiving,
    kSelf,
    kForeign,
};

uint64_t write_time_ns(const sys::Stat& stat) {
    return static_cast<uint64_t>(stat.mtime.seconds) * 1'000'000'000 + static_cast<uint64_t>(stat.mtime.nanoseconds);
}

Owner judge(const ProcessIdentity& owner, const ProcessIdentity& self) {
    if (same_process(owner, self)) return Owner::kSelf;
    return is_alive(owner, self) ? Owner::kLiving : Owner::kNobody;
}

// What a trace that was ended in order says at its end.
uint32_t last_pid_in(int fd, const sys::Stat& trace) {
    format::SeekTail tail;
    if (trace.size < static_cast<int64_t>(sizeof tail)) return 0;
    const long n = sys::pread(fd, &tail, sizeof tail, static_cast<uint64_t>(trace.size) - sizeof tail);
    return n == static_cast<long>(sizeof tail) && tail.magic == format::kBlockMagic ? tail.last_pid : 0;
}

Owner owner_of_trace(int fd, Search& search) {
    uint8_t beginning[kOriginBytes];
    long n = sys::pread(fd, beginning, sizeof beginning, 0);
    if (sys::failed(n)) return Owner::kForeign;
    TraceOwner trace;
    switch (read_origin(beginning, static_cast<size_t>(n), trace)) {
        case FileOrigin::kEmpty:
            return Owner::kNobody;
        case FileOrigin::kForeign:
            return Owner::kForeign;
        case FileOrigin::kTrace:
            break;
    }
    Owner owner = judge(trace.process, search.self);
    if (owner == Owner::kSelf && search.output.image <= trace.image) search.output.image = trace.image + 1;
    sys::Stat stat;
    if (owner != Owner::kNobody || trace.process.pid == 0 || sys::failed(sys::fstat(fd, &stat))) return owner;
    const uint64_t written_ns = write_time_ns(stat);
    const Ending ending{written_ns > search.live_write_ns ? written_ns : search.live_write_ns, last_pid_in(fd, stat)};
    return is_of_same_run(trace.process, ending, search.self) ? Owner::kSameRun : Owner::kNobody;
}

Owner owner_of_live_file(Search& search) {
    long fd = sys::open(search.output.live_path, sys::kORdonly | sys::kONonblock | sys::kONoctty);
    if (fd == -sys::kEnoent) return Owner::kNobody;
    if (sys::failed(fd)) return Owner::kForeign;
    format::LiveHeader header;
    sys::Stat stat;
    long n = sys::pread(static_cast<int>(fd), &header, sizeof header, 0);
    bool regular =
        !sys::failed(sys::fstat(static_cast<int>(fd), &stat)) && (stat.mode & sys::kModeTypeMask) == sys::kModeRegular;
    sys::close(static_cast<int>(fd));
    if (!regular || sys::failed(n)) return Owner::kForeign;
    const uint64_t unwritten = 0;  // created, its header not yet there, or reserved and never used
    if (n == 0 || (n >= 8 && equal_bytes(header.magic, &unwritten, 8))) return Owner::kNobody;
    if (static_cast<size_t>(n) < sizeof header || !equal_bytes(header.magic, format::kLiveMagic, sizeof header.magic))
        return Owner::kForeign;
    ProcessIdentity owner{};
    copy_bytes(owner.boot_id, header.boot_id, sizeof owner.boot_id);
    owner.pid = header.pid;
    owner.process_start = header.process_start;
    return judge(owner, search.self);
}

// Where the program's own output goes: it is empty at first, and would be written by both.
bool is_standard_output(const sys::Stat& stat) {
    return is_file(1, stat.dev, stat.ino) || is_file(2, stat.dev, stat.ino);
}

// Refuses what is no regular file; /dev/null passes. False: refused.
bool is_acceptable(const sys::Stat& stat, Search& search) {
    switch (stat.mode & sys::kModeTypeMask) {
        case sys::kModeRegular:
            if (!is_standard_output(stat)) return true;
            search.reason = "is where the program's own output goes";
            return false;
        case sys::kModeDirectory:
            search.error = -sys::kEisdir;
            return false;
        case sys::kModeFifo:
            search.reason = "is a pipe, a trace needs a regular file";
            return false;
        case sys::kModeCharacter:
            if (stat.rdev == sys::kNullDevice) return true;
            [[fallthrough]];
        default:
            search.reason = "is a device, a trace needs a regular file";
            return false;
    }
}

bool is_null_device(const sys::Stat& stat) {
    return (stat.mode & sys::kModeTypeMask) == sys::kModeCharacter && stat.rdev == sys::kNullDevice;
}

// Keeps the open file as this process's trace. Under umask 0777 it would have been created unreadable for its owner.
Verdict keep(int fd, const sys::Stat& stat, Search& search) {
    search.output.fd = fd;
    search.output.dev = stat.dev;
    search.output.ino = stat.ino;
    if ((stat.mode & sys::kModeTypeMask) == sys::kModeRegular && (stat.mode & 0600) != 0600)
        sys::fchmod(fd, (stat.mode & 07777) | 0600);
    return Verdict::kOurs;
}

Verdict give_up(int fd, Verdict verdict) {
    sys::close(fd);
    return verdict;
}

// Decides about the open file at output.path. `created`: by us, just now.
Verdict claim(int fd, bool created, Search& search) {
    sys::Stat stat, named;
    if (sys::failed(search.error = sys::fstat(fd, &stat)) || !is_acceptable(stat, search))
        return give_up(fd, Verdict::kRefused);
    if (is_null_device(stat)) {
        search.output.live_path[0] = 0;
        return keep(move_high(fd), stat, search);
    }
    Owner owner = owner_of_trace(fd, search);
    if (owner == Owner::kForeign) return give_up(fd, Verdict::kForeign);
    if (owner != Owner::kNobody) return give_up(fd, Verdict::kTaken);

    fd = move_high(fd);
    long locked = sys::lock_file(fd);
    if (locked == -sys::kEagain || locked == -sys::kEacces) return give_up(fd, Verdict::kTaken);
    // Without locks an empty file may be another's that has just been created; one that we created is ours.
    if (sys::failed(locked) && !created && stat.size == 0) return give_up(fd, Verdict::kTaken);
    // Between the look and the lock another process may have written the file and gone, or put another in its place.
    if (!created) {
        owner = owner_of_trace(fd, search);
        if (owner != Owner::kNobody) return give_up(fd, owner == Owner::kForeign ? Verdict::kForeign : Verdict::kTaken);
    }
    if (sys::failed(sys::stat(search.output.path, &named)) || named.dev != stat.dev || named.ino != stat.ino)
        return give_up(fd, Verdict::kTaken);
    if (stat.size != 0) sys::ftruncate(fd, 0);
    return keep(fd, stat, search);
}

Verdict refuse(long error, Search& search) {
    search.error = error;
    return Verdict::kRefused;
}

// Counts the images of this process: its own file at output.path, if it is one.
void note_own_image(Search& search) {
    long fd = sys::open(search.output.path, sys::kORdonly | sys::kONonblock | sys::kONoctty);
    if (sys::failed(fd)) return;
    owner_of_trace(static_cast<int>(fd), search);
    sys::close(static_cast<int>(fd));
}

// The name is in use when its live file is, even where the trace was removed by hand. A live file that nobody needs goes
// with the trace that is replaced, but is no reason to take a name that is only ever created.
Verdict look_at_live_file(bool may_replace, Search& search) {
    TextBuffer live(search.output.live_path, sizeof search.output.live_path);
    if (live.add(search.output.path).add(".live").cut()) return refuse(-sys::kEnametoolong, search);
    sys::Stat stat;
    search.live_write_ns = 0;
    if (sys::failed(sys::stat(search.output.live_path, &stat))) return Verdict::kOurs;  // opening the trace will tell why
    search.live_write_ns = write_time_ns(stat);
    switch (owner_of_live_file(search)) {
        case Owner::kNobody:
            return may_replace ? Verdict::kOurs : Verdict::kTaken;
        case Owner::kForeign:
            return Verdict::kForeign;
        default:
            return Verdict::kTaken;
    }
}

// Tries the name in output.path. may_replace: a file that nobody needs; otherwise the name must be new.
Verdict try_name(bool may_replace, Search& search) {
    Verdict live = look_at_live_file(may_replace, search);
    if (live != Verdict::kOurs) {
        note_own_image(search);
        return live;
    }
    const char* path = search.output.path;
    const int flags = sys::kORdwr | sys::kONonblock | sys::kONoctty;
    long fd = sys::open(path, flags | sys::kOCreat | sys::kOExcl, kMode);
    if (!sys::failed(fd)) return claim(static_cast<int>(fd), true, search);
    if (fd != -sys::kEexist) return refuse(fd, search);

    // Looked at before it is opened: opening some devices has effects.
    sys::Stat stat;
    long found = sys::stat(path, &stat);
    if (!sys::failed(found) && !is_acceptable(stat, search)) return Verdict::kRefused;
    if (!may_replace) {
        note_own_image(search);
        return Verdict::kTaken;
    }
    // A symbolic link may point to a file that does not exist yet.
    fd = sys::open(path, flags | (found == -sys::kEnoent ? sys::kOCreat : 0), kMode);
    if (fd == -sys::kEacces || fd == -sys::kEperm || fd == -sys::kEtxtbsy) return Verdict::kForeign;
    return sys::failed(fd) ? refuse(fd, search) : claim(static_cast<int>(fd), false, search);
}

// A stale live file may still be mapped by someone: it is replaced, never reused.
void open_live_file(Output& output) {
    if (output.live_path[0] == 0) return;
    const int flags = sys::kORdwr | sys::kOCreat | sys::kOExcl;
    long fd = sys::open(output.live_path, flags, kMode);
    if (fd == -sys::kEexist) {
        sys::unlink(output.live_path);
        fd = sys::open(output.live_path, flags, kMode);
    }
    sys::Stat stat;
    if (sys::failed(fd)) {
        output.live_path[0] = 0;
        return;
    }
    output.live_fd = move_high(static_cast<int>(fd));
    if (sys::failed(sys::fstat(output.live_fd, &stat))) return;
    output.live_dev = stat.dev;
    output.live_ino = stat.ino;
    if ((stat.mode & 0600) != 0600) sys::fchmod(output.live_fd, (stat.mode & 07777) | 0600);
}

// The executable's name without its directory; empty when it cannot be read.
const char* program_name(char* buffer, size_t capacity) {
    long n = sys::readlink("/proc/self/exe", buffer, capacity - 1);
    size_t length = sys::failed(n) ? 0 : static_cast<size_t>(n);
    buffer[length] = 0;
    constexpr char kDeleted[] = " (deleted)";
    constexpr size_t kDeletedLength = sizeof kDeleted - 1;
    if (length > kDeletedLength && equal_text(buffer + length - kDeletedLength, kDeleted))
        buffer[length -= kDeletedLength] = 0;
    while (length > 0 && buffer[length - 1] != '/') length--;
    return buffer + length;
}

// The first candidate, expanded, without directory put before it.
bool expand_pattern(const Settings& settings, const ProcessIdentity& self, TextBuffer& to) {
    struct SystemNames {
        char system[65], host[65], release[65], version[65], machine[65], domain[65];
    } names;
    names.host[0] = 0;
    sys::uname(&names);
    char program[1024];
    expand_name(settings.output, {self.pid, program_name(program, sizeof program), names.host, settings.rank}, to);
    return !to.cut();
}

void close_inherited(Output& output) {
    if (is_file(output.fd, output.dev, output.ino)) sys::close(output.fd);
    if (is_file(output.live_fd, output.live_dev, output.live_ino)) sys::close(output.live_fd);
}

void find_start_directory(Output& output) {
    long n = sys::getcwd(output.start_directory, sizeof output.start_directory);
    // Outside of the process's root the kernel says "(unreachable)/...".
    if (n <= 0 || output.start_directory[0] != '/') output.start_directory[0] = 0;
}

void warn_refused(const Search& search) {
    DiagLine line;
    line.add("cannot write ").add(search.output.path).add(": ");
    if (search.reason != nullptr)
        line.add(search.reason);
    else
        line.add_error(search.error);
    line.add("; the program runs on, unprofiled").write();
}

bool search_name(const Settings& settings, bool forked_child, Search& search) {
    Output& output = search.output;
    char first[4096];  // the first candidate
    TextBuffer name(first, sizeof first);
    if (settings.output[0] != '/' && output.start_directory[0] != 0) {
        name.add(output.start_directory);
        if (output.start_directory[1] != 0) name.add('/');
    }
    const size_t directory = name.length();
    TextBuffer expanded(first + directory, sizeof first - directory);
    bool fits = !name.cut() && expand_pattern(settings, search.self, expanded);
    TextBuffer(output.path, sizeof output.path).add(first);
    if (!fits) {
        search.error = -sys::kEnametoolong;
        return false;
    }

    const bool has_pid = names_process(settings.output);
    sys::Stat stat;
    const bool null_device = !sys::failed(sys::stat(first, &stat)) && is_null_device(stat);
    if (!forked_child || has_pid || null_device) {
        Verdict verdict = try_name(!has_pid, search);
        if (verdict == Verdict::kOurs) return true;
        if (verdict == Verdict::kRefused) return false;
        if (verdict == Verdict::kForeign) {
            DiagLine()
                .add(first)
                .add(" is not a trace that may be replaced: writing beside it, with the process id in the name")
                .write();
        } else if (search.verbose != 0) {
            DiagLine().add(first).add(" is in use, or of this run: writing beside it, with the process id in the name").write();
        }
    }
    for (uint32_t number = has_pid ? 2 : 1; number <= kMaxNumber; number++) {
        TextBuffer path(output.path, sizeof output.path);
        distinguish_name(first, search.self.pid, has_pid, number, path);
        Verdict verdict = path.cut() ? refuse(-sys::kEnametoolong, search) : try_name(false, search);
        if (verdict == Verdict::kOurs) return true;
        if (verdict == Verdict::kRefused) return false;
    }
    search.reason = "too many traces of this process";
    return false;
}

}  // namespace

// Context: init; signal-safe. Uses about 7 KiB of stack.
bool open_output(const Settings& settings, const ProcessIdentity& self, bool forked_child, Output& output) {
    if (forked_child)
        close_inherited(output);
    else
        find_start_directory(output);
    output.fd = output.live_fd = output.collector_fd = output.collector_live_fd = -1;
    output.image = 0;
    output.live_path[0] = 0;
    Search search{self, output, static_cast<uint64_t>(settings.verbose), 0, nullptr, 0};
    if (!search_name(settings, forked_child, search)) {
        warn_refused(search);
        return false;
    }
    open_live_file(output);
    return true;
}

}  // namespace fnprof::rt

// The system calls, the only ones that the runtime makes: raw, so that no wrapper of the C library runs (errno, cancellation
// points, locks, user interposition). Each returns what the kernel returned: a value, or a negated errno.
//
// Context: any thread, any moment; signal-safe.
#pragma once

#include <asm/unistd.h>
#include <cstddef>
#include <cstdint>

namespace fnprof::rt::sys {

#if defined(__x86_64__)
inline long call(long number, long a = 0, long b = 0, long c = 0, long d = 0, long e = 0, long f = 0) {
    long result;
    register long r10 __asm__("r10") = d;
    register long r8 __asm__("r8") = e;
    register long r9 __asm__("r9") = f;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                     : "rcx", "r11", "memory");
    return result;
}
#else
#error "fnprof's runtime knows the system calls of x86-64 Linux only"
#endif

inline long ptr(const void* p) { return reinterpret_cast<long>(p); }
inline bool failed(long result) { return result < 0 && result > -4096; }

// Values of the kernel's ABI (asm-generic and x86-64), named as there.
constexpr int kAtFdcwd = -100;
constexpr int kORdonly = 0, kORdwr = 2, kOCreat = 0100, kOExcl = 0200, kONonblock = 04000,
              kONoctty = 0400, kOCloexec = 02000000;
constexpr int kProtNone = 0, kProtRead = 1, kProtWrite = 2;
constexpr int kMapShared = 1, kMapPrivate = 2, kMapFixed = 0x10, kMapAnonymous = 0x20, kMapNoreserve = 0x4000;
constexpr int kMadvRandom = 1, kMadvWipeOnFork = 18, kMadvPopulateWrite = 23;
constexpr int kSigBlock = 0, kSigUnblock = 1, kSigSetmask = 2;
constexpr int kFutexWaitPrivate = 128, kFutexWakePrivate = 129;
constexpr int kClockRealtime = 0, kClockMonotonic = 1, kClockBoottime = 7;
constexpr int kEintr = 4, kEnoent = 2, kEbadf = 9, kEagain = 11, kEexist = 17, kEinval = 22, kEnospc = 28, kEsrch = 3;
constexpr int kEperm = 1, kEio = 5, kEnxio = 6, kEnomem = 12, kEacces = 13, kEnodev = 19, kEnotdir = 20, kEisdir = 21, kEnfile = 23,
              kEmfile = 24, kEtxtbsy = 26, kEfbig = 27, kErofs = 30, kEpipe = 32, kEnametoolong = 36, kEloop = 40, kEtimedout = 110,
              kEdquot = 122;
constexpr int kSigAbrt = 6, kSigPipe = 13, kSigTtou = 22, kSigXfsz = 25;
constexpr int kSeekSet = 0;
constexpr int kFDupfdCloexec = 1030;

struct Timespec {
    int64_t seconds;
    int64_t nanoseconds;
};

// struct stat of x86-64; the runtime uses dev, ino, mode, size and mtime.
struct Stat {
    uint64_t dev, ino, nlink;
    uint32_t mode, uid, gid, pad0;
    uint64_t rdev;
    int64_t size, blksize, blocks;
    Timespec atime, mtime, ctime;
    int64_t unused[3];
};
static_assert(sizeof(Stat) == 144);
constexpr uint32_t kModeTypeMask = 0170000, kModeRegular = 0100000, kModeDirectory = 0040000, kModeCharacter = 0020000,
                   kModeFifo = 0010000;
constexpr uint64_t kNullDevice = 1 << 8 | 3;  // rdev of /dev/null

inline long open(const char* path, int flags, int mode = 0) { return call(__NR_openat, kAtFdcwd, ptr(path), flags | kOCloexec, mode); }
inline long close(int fd) { return call(__NR_close, fd); }
// flags: 2 makes the descriptor table the calling thread's own before it closes.
inline long close_range(uint32_t first, uint32_t last, uint32_t flags) {
    return call(__NR_close_range, static_cast<long>(first), static_cast<long>(last), static_cast<long>(flags));
}
inline long read(int fd, void* to, size_t bytes) { return call(__NR_read, fd, ptr(to), static_cast<long>(bytes)); }
inline long write(int fd, const void* from, size_t bytes) { return call(__NR_write, fd, ptr(from), static_cast<long>(bytes)); }
inline long pwrite(int fd, const void* from, size_t bytes, uint64_t at) {
    return call(__NR_pwrite64, fd, ptr(from), static_cast<long>(bytes), static_cast<long>(at));
}
inline long pread(int fd, void* to, size_t bytes, uint64_t at) {
    return call(__NR_pread64, fd, ptr(to), static_cast<long>(bytes), static_cast<long>(at));
}
inline long ftruncate(int fd, uint64_t bytes) { return call(__NR_ftruncate, fd, static_cast<long>(bytes)); }
inline long fallocate(int fd, uint64_t offset, uint64_t bytes) {
    return call(__NR_fallocate, fd, 0, static_cast<long>(offset), static_cast<long>(bytes));
}
inline long fstat(int fd, Stat* to) { return call(__NR_fstat, fd, ptr(to)); }
// The file system's magic number (linux/magic.h); 0 when the kernel does not say.
inline uint64_t filesystem_type(int fd) {
    uint64_t answer[15] = {};  // struct statfs of x86-64; f_type comes first
    return failed(call(__NR_fstatfs, fd, ptr(answer))) ? 0 : answer[0];
}
inline long stat(const char* path, Stat* to) { return call(__NR_newfstatat, kAtFdcwd, ptr(path), ptr(to), 0); }
// Sets when the file was last written; `time`: by CLOCK_REALTIME.
inline long set_mtime(int fd, const Timespec& time) {
    constexpr int64_t kUtimeOmit = (1 << 30) - 2;
    const Timespec times[2] = {{0, kUtimeOmit}, time};
    return call(__NR_utimensat, fd, 0, ptr(times), 0);
}
inline long unlink(const char* path) { return call(__NR_unlinkat, kAtFdcwd, ptr(path), 0); }
inline long readlink(const char* path, char* to, size_t bytes) {
    return call(__NR_readlinkat, kAtFdcwd, ptr(path), ptr(to), static_cast<long>(bytes));
}
inline long getcwd(char* to, size_t bytes) { return call(__NR_getcwd, ptr(to), static_cast<long>(bytes)); }
inline long fcntl(int fd, int command, long argument) { return call(__NR_fcntl, fd, command, argument); }
inline long uname(void* to) { return call(__NR_uname, ptr(to)); }

inline long mmap(void* at, size_t bytes, int protection, int flags, int fd, uint64_t offset) {
    return call(__NR_mmap, ptr(at), static_cast<long>(bytes), protection, flags, fd, static_cast<long>(offset));
}
inline long munmap(void* at, size_t bytes) { return call(__NR_munmap, ptr(at), static_cast<long>(bytes)); }
inline long mprotect(void* at, size_t bytes, int protection) { return call(__NR_mprotect, ptr(at), static_cast<long>(bytes), protection); }
inline long madvise(void* at, size_t bytes, int advice) { return call(__NR_madvise, ptr(at), static_cast<long>(bytes), advice); }

inline int getpid() { return static_cast<int>(call(__NR_getpid)); }
inline int getppid() { return static_cast<int>(call(__NR_getppid)); }
inline int gettid() { return static_cast<int>(call(__NR_gettid)); }
inline long tgkill(int pid, int tid, int signal) { return call(__NR_tgkill, pid, tid, signal); }
inline long kill(int pid, int signal) { return call(__NR_kill, pid, signal); }
// The whole 64-bit kernel mask, the C library's internal signals 32 and 33 included.
inline long sigprocmask(int how, const uint64_t* set, uint64_t* old) { return call(__NR_rt_sigprocmask, how, ptr(set), ptr(old), 8); }
inline long clock_gettime(int clock, Timespec* to) { return call(__NR_clock_gettime, clock, ptr(to)); }
inline uint64_t clock_ns(int clock) {
    Timespec t{};
    clock_gettime(clock, &t);
    return static_cast<uint64_t>(t.seconds) * 1000000000u + static_cast<uint64_t>(t.nanoseconds);
}
inline void yield() { call(__NR_sched_yield); }
inline long sleep_ns(uint64_t ns) {
    Timespec t{static_cast<int64_t>(ns / 1000000000u), static_cast<int64_t>(ns % 1000000000u)};
    return call(__NR_nanosleep, ptr(&t), 0);
}
inline long futex_wait(const uint32_t* word, uint32_t expected, const Timespec* relative_timeout) {
    return call(__NR_futex, ptr(word), kFutexWaitPrivate, static_cast<long>(expected), ptr(relative_timeout));
}
inline long futex_wake(const uint32_t* word, int count) { return call(__NR_futex, ptr(word), kFutexWakePrivate, count); }
inline long prctl(int option, long a = 0, long b = 0, long c = 0, long d = 0) { return call(__NR_prctl, option, a, b, c, d); }
// The base address of thread-local storage, 0 if there is none yet.
inline uint64_t thread_pointer() {
    constexpr int kArchGetFs = 0x1003;
    uint64_t pointer = 0;
    call(__NR_arch_prctl, kArchGetFs, ptr(&pointer));
    return pointer;
}
inline long fchmod(int fd, uint32_t mode) { return call(__NR_fchmod, fd, static_cast<long>(mode)); }
inline long getuid() { return call(__NR_getuid); }
inline long geteuid() { return call(__NR_geteuid); }
inline long getgid() { return call(__NR_getgid); }
inline long getegid() { return call(__NR_getegid); }
inline long sigpending(uint64_t* to) { return call(__NR_rt_sigpending, ptr(to), 8); }
inline long sigtimedwait(const uint64_t* set, const Timespec* timeout) {
    return call(__NR_rt_sigtimedwait, ptr(set), 0, ptr(timeout), 8);
}
constexpr uint64_t signal_bit(int signal) { return uint64_t{1} << (signal - 1); }

// Waits until `fd` takes a write of PIPE_BUF bytes without blocking.
inline bool wait_writable(int fd, int milliseconds) {
    struct {
        int fd;
        short events, revents;
    } request{fd, 4 /* POLLOUT */, 0};
    return call(__NR_poll, ptr(&request), 1, milliseconds) == 1;
}

// The soft limit of a resource; 0 when the kernel does not say.
inline uint64_t soft_limit(int resource) {
    uint64_t limit[2] = {0, 0};
    return failed(call(__NR_prlimit64, 0, resource, 0, ptr(limit))) ? 0 : limit[0];
}
inline uint64_t descriptor_limit() { return soft_limit(7 /* RLIMIT_NOFILE */); }
inline uint64_t stack_limit() { return soft_limit(3 /* RLIMIT_STACK */); }

// Whether the caller runs on the stack that it has given for its signal handlers.
inline bool on_signal_stack() {
    struct {
        void* sp;
        int flags;
        size_t bytes;
    } stack{};
    return !failed(call(__NR_sigaltstack, 0, ptr(&stack))) && (stack.flags & 1 /* SS_ONSTACK */) != 0;
}

// Copies from the process's own memory; fails with EFAULT where a plain load would be a fault. `tid`: the calling thread, since the
// process's first one may have ended.
inline long read_memory(int tid, void* to, uint64_t from, size_t bytes) {
    struct {
        uint64_t base, length;
    } local{static_cast<uint64_t>(ptr(to)), bytes}, remote{from, bytes};
    return call(__NR_process_vm_readv, tid, ptr(&local), 1, ptr(&remote), 1, 0);
}

// A record lock on the whole file, of the process (not inherited by fork, gone with the process).
struct Flock {
    int16_t type, whence;
    int64_t start, length;
    int32_t pid;
};
static_assert(sizeof(Flock) == 32);
constexpr int kFSetlk = 6, kFWrlck = 1;
inline long lock_file(int fd) {
    Flock lock{kFWrlck, kSeekSet, 0, 0, 0};
    return call(__NR_fcntl, fd, kFSetlk, ptr(&lock));
}

}  // namespace fnprof::rt::sys

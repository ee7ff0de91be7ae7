#include "diag.h"

#include "sys.h"

namespace fnprof::rt {

namespace {

struct StderrIdentity {
    bool known;
    uint64_t dev, ino;
};
StderrIdentity g_stderr;

constexpr int kStderr = 2;
constexpr int kPatienceMs = 200;

bool is_still_stderr() {
    sys::Stat now;
    if (sys::failed(sys::fstat(kStderr, &now))) return false;
    if ((now.mode & sys::kModeTypeMask) == sys::kModeCharacter) return true;
    return !g_stderr.known || (now.dev == g_stderr.dev && now.ino == g_stderr.ino);
}

struct ErrorWords {
    int error;
    const char* words;
};
constexpr ErrorWords kErrorWords[] = {
    {sys::kEperm, "operation not permitted"},
    {sys::kEnoent, "no such file or directory"},
    {sys::kEio, "input/output error"},
    {sys::kEnxio, "no such device"},
    {sys::kEbadf, "bad file descriptor"},
    {sys::kEnomem, "out of memory"},
    {sys::kEacces, "permission denied"},
    {sys::kEexist, "file exists"},
    {sys::kEnodev, "no such device"},
    {sys::kEnotdir, "a part of the path is not a directory"},
    {sys::kEisdir, "is a directory"},
    {sys::kEinval, "invalid argument"},
    {sys::kEnfile, "too many open files in the system"},
    {sys::kEmfile, "too many open files"},
    {sys::kEtxtbsy, "the file is a running program"},
    {sys::kEfbig, "file too large"},
    {sys::kEnospc, "no space left on device"},
    {sys::kErofs, "read-only file system"},
    {sys::kEpipe, "broken pipe"},
    {sys::kEnametoolong, "file name too long"},
    {sys::kEloop, "too many symbolic links"},
    {sys::kEdquot, "disk quota exceeded"},
};

}  // namespace

// Context: init.
void remember_stderr() {
    sys::Stat now;
    // A descriptor that is closed now and opened later is the program's own.
    g_stderr = sys::failed(sys::fstat(kStderr, &now)) ? StderrIdentity{true, 0, 0} : StderrIdentity{true, now.dev, now.ino};
}

DiagLine& DiagLine::add_error(long result) {
    auto error = static_cast<uint64_t>(-result);
    for (const ErrorWords& known : kErrorWords)
        if (static_cast<uint64_t>(known.error) == error) return add(known.words);
    return add("error ").add_decimal(error);
}

void DiagLine::write() {
    size_t length = text_.length();
    for (size_t i = 0; i < length; i++)
        if (static_cast<unsigned char>(buffer_[i]) < 0x20 || buffer_[i] == 0x7f) buffer_[i] = '?';
    if (text_.cut())
        for (size_t i = 1; i <= 3; i++) buffer_[length - i] = '.';
    buffer_[length] = '\n';  // over the terminator: the line is written by length

    if (!is_still_stderr()) return;
    // Blocked while writing, so that a closed pipe, a file size limit or a terminal's tostop meets no handler and kills or
    // stops nobody; what the write itself has raised is taken back, what was pending before stays.
    const uint64_t raised = sys::signal_bit(sys::kSigPipe) | sys::signal_bit(sys::kSigXfsz);
    const uint64_t blocked = raised | sys::signal_bit(sys::kSigTtou);
    uint64_t old_mask = 0, pending = 0;
    if (sys::failed(sys::sigprocmask(sys::kSigBlock, &blocked, &old_mask))) return;
    sys::sigpending(&pending);
    long result = 0;
    if (sys::wait_writable(kStderr, kPatienceMs)) {
        do result = sys::write(kStderr, buffer_, length + 1);
        while (result == -sys::kEintr);
    }
    if (sys::failed(result)) {
        const uint64_t ours = raised & ~pending;
        const sys::Timespec at_once{0, 0};
        if (ours != 0) sys::sigtimedwait(&ours, &at_once);
    }
    sys::sigprocmask(sys::kSigSetmask, &old_mask, nullptr);
}

}  // namespace fnprof::rt

#include "trace/recover.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <utility>

#include "trace/process_state.h"

namespace fnprof::trace {

namespace fs = std::filesystem;

namespace {

[[noreturn]] void fail(const std::string& what, const std::string& path) {
    throw WriteError(what + ' ' + path + ": " + std::strerror(errno));
}

// A new file for the place of another one. As long as take_place() has not been called it has no name, so that nothing is left of it
// however this process ends; where the file system knows no such files it stands beside the other one meanwhile.
class Replacement {
  public:
    explicit Replacement(fs::path target) : target_(std::move(target)) {
        descriptor_ = open(folder().c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
        if (descriptor_ >= 0 && access(path().c_str(), R_OK) == 0) return;
        if (descriptor_ >= 0) close(descriptor_);
        name_ = target_.string() + ".XXXXXX";
        descriptor_ = mkostemp(name_.data(), O_CLOEXEC);
        if (descriptor_ < 0) {
            name_.clear();
            fail("cannot write a file beside", target_.string());
        }
    }
    ~Replacement() {
        if (descriptor_ >= 0) close(descriptor_);
        if (!name_.empty()) unlink(name_.c_str());
    }
    Replacement(const Replacement&) = delete;
    Replacement& operator=(const Replacement&) = delete;

    int descriptor() const { return descriptor_; }
    std::string path() const { return name_.empty() ? "/proc/self/fd/" + std::to_string(descriptor_) : name_; }

    void take_place(const struct stat& model) {
        // The owner can be kept by root only; the bits that matter to others are set in any case.
        if (fchown(descriptor_, model.st_uid, model.st_gid) != 0 && errno != EPERM) fail("cannot give its owner to", target_.string());
        if (fchmod(descriptor_, model.st_mode & 0777) != 0) fail("cannot set the rights of", target_.string());
        if (fsync(descriptor_) != 0) fail("cannot write", target_.string());
        // Between its first name and its last no signal ends this process.
        sigset_t all, before;
        sigfillset(&all);
        pthread_sigmask(SIG_BLOCK, &all, &before);
        if (name_.empty()) give_name();
        const int renamed = name_.empty() ? -1 : rename(name_.c_str(), target_.c_str());
        const int error = errno;
        if (renamed == 0) name_.clear();
        if (renamed != 0 && !name_.empty()) unlink(std::exchange(name_, {}).c_str());
        pthread_sigmask(SIG_SETMASK, &before, nullptr);
        errno = error;
        if (renamed != 0) fail("cannot replace", target_.string());
        sync_folder();
    }

    // So that the name is on the disk before what it replaces is taken away.
    void sync_folder() const {
        const int descriptor = open(folder().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (descriptor < 0) return;
        fsync(descriptor);  // not all file systems can
        close(descriptor);
    }

  private:
    fs::path folder() const { return target_.has_parent_path() ? target_.parent_path() : fs::path("."); }

    // A name that nobody has; linking does not replace. Leaves name_ empty on failure.
    void give_name() {
        for (int number = 0; number < 1000; number++) {
            name_ = target_.string() + '.' + std::to_string(getpid()) + '-' + std::to_string(number);
            if (linkat(AT_FDCWD, ("/proc/self/fd/" + std::to_string(descriptor_)).c_str(), AT_FDCWD, name_.c_str(), AT_SYMLINK_FOLLOW) == 0) return;
            if (errno != EEXIST) break;
        }
        name_.clear();
    }

    fs::path target_;
    std::string name_;  // empty: none
    int descriptor_ = -1;
};

bool needs_recovery(const TraceFile& file) {
    const Diagnostics& found = file.diagnostics();
    return found.live_file_found || !file.metadata().end || found.damaged_count != 0 || found.truncated_at || found.duplicate_chunk_count != 0;
}

std::string joined(const std::vector<std::string>& sentences) {
    std::string text;
    for (const std::string& sentence : sentences) text += "\n  " + sentence;
    return text;
}

bool same_file(const std::string& a, const std::string& b) {
    std::error_code error;
    return fs::equivalent(a, b, error) && !error;
}

void refuse_if_running(const TraceFile& file, const std::string& trace, const std::string& live) {
    const format::ProcessItem& process = file.metadata().process.facts;
    if (!is_locked(trace) && (!file.metadata().has_process || process_state(process, trace, live) != ProcessState::kRunning)) return;
    throw RecoveryRefused(trace + ": the process that writes it, " + std::to_string(process.pid) +
                          ", is still running: recover it afterwards (reports can be had now, they read the live file along)");
}

}  // namespace

Recovered recover(const std::string& trace, const std::string& output) {
    struct stat status{};
    if (stat(trace.c_str(), &status) == 0 && !S_ISREG(status.st_mode)) throw RecoveryRefused(trace + " is no regular file: only those can be recovered");
    const std::string live = trace + ".live";
    const bool in_place = output.empty() || same_file(output, trace);
    TraceFile file(trace);
    const Diagnostics& found = file.diagnostics();
    // Not before all blocks are decoded is it known that none is damaged.
    if (!needs_recovery(file)) {
        TraceFile probe(trace);
        for (RecordBlock block; probe.next(block);) {
        }
        if (!needs_recovery(probe)) return {};
    }
    if (!output.empty() && same_file(output, live)) throw RecoveryRefused(output + " is the live file that is to be read: name another file");
    struct stat present{};
    if (!in_place && stat(output.c_str(), &present) == 0 && !S_ISREG(present.st_mode)) {
        throw RecoveryRefused(output + " is no regular file and is not replaced: name another one");
    }
    Recovered done;
    done.needed = true;
    if (found.live_fault_count != 0) done.remarks = found.remarks;
    if (in_place) {
        refuse_if_running(file, trace, live);
        if (found.live_fault_count != 0) {
            throw RecoveryRefused(trace + ": not all of " + live + " can be read, and nothing was changed:" + joined(found.remarks) +
                                  "\n  What can be read is written to another file with -o FILE.");
        }
    }
    std::error_code error;
    fs::path target = fs::weakly_canonical(in_place ? trace : output, error);
    if (error) target = in_place ? trace : output;
    Replacement replacement(target);
    done.result = rewrite(file, replacement.descriptor(), replacement.path(), target.string());
    if (in_place) refuse_if_running(file, trace, live);
    replacement.take_place(status);
    if (in_place && found.live_file_found) {
        if (unlink(live.c_str()) != 0 && errno != ENOENT) fail(trace + " is complete, but cannot remove", live);
        replacement.sync_folder();
        done.live_file_removed = true;
    }
    return done;
}

}  // namespace fnprof::trace

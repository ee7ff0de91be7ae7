// Traces of processes that live, are dead or never were, and the opening of one's own beside them.
#pragma once

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <csignal>
#include <cstring>
#include <memory>
#include <string>
#include "items.h"
#include "output.h"
#include "raw_frame.h"
#include "same_run.h"
#include "stderr_capture.h"
#include "support/temporary_directory.h"

namespace fnprof::rt::testing {

namespace format = fnprof::format;
namespace fs = std::filesystem;

inline ProcessIdentity self_identity() {
    ProcessIdentity self;
    read_identity(self);
    return self;
}

// A process that is no more, of this machine.
inline ProcessIdentity dead_identity() {
    ProcessIdentity dead = self_identity();
    dead.process_start++;
    return dead;
}

// A process that lives, for as long as the object does.
class LivingProcess {
  public:
    LivingProcess() : pid_(fork()) {
        if (pid_ == 0)
            for (;;) pause();
        identity_ = self_identity();
        identity_.pid = static_cast<uint64_t>(pid_);
        const std::string text = read_file("/proc/" + std::to_string(pid_) + "/stat");
        ProcessStat stat{};
        REQUIRE(parse_process_stat(text.data(), text.size(), stat));
        identity_.process_start = stat.start;
    }
    ~LivingProcess() {
        kill(pid_, SIGKILL);
        waitpid(pid_, nullptr, 0);
    }
    LivingProcess(const LivingProcess&) = delete;
    LivingProcess& operator=(const LivingProcess&) = delete;
    const ProcessIdentity& identity() const { return identity_; }

  private:
    pid_t pid_;
    ProcessIdentity identity_;
};

inline std::string trace_of(const ProcessIdentity& owner, uint32_t image = 0) {
    format::ProcessItem process{};
    std::memcpy(process.boot_id, owner.boot_id, 16);
    process.pid = owner.pid;
    process.process_start = owner.process_start;
    process.image = image;
    ItemWriter items;
    items.write(format::ItemType::kProcess, process);
    format::BlockHeader header{};
    header.magic = format::kBlockMagic;
    header.version = format::kVersion;
    header.kind = static_cast<uint8_t>(format::BlockKind::kMetadata);
    header.header_bytes = sizeof header;
    header.payload_bytes = static_cast<uint32_t>(items.size());
    std::string frame(raw_frame_bytes(items.size()), '\0');
    write_raw_frame(reinterpret_cast<uint8_t*>(frame.data()), header, items.data());
    items.release();
    return frame;
}

inline std::string live_file_of(const ProcessIdentity& owner) {
    format::LiveHeader header{};
    std::memcpy(header.magic, format::kLiveMagic, sizeof header.magic);
    std::memcpy(header.boot_id, owner.boot_id, 16);
    header.pid = owner.pid;
    header.process_start = owner.process_start;
    return {reinterpret_cast<const char*>(&header), sizeof header};
}

// One call of open_output and what came of it.
struct Opened {
    bool ok = false;
    std::unique_ptr<Output> output = std::make_unique<Output>();
    std::string warnings;

    Opened() { output->fd = output->live_fd = -1; }
    Opened(Opened&&) = default;
    ~Opened() {
        if (output == nullptr) return;
        if (output->fd >= 0) close(output->fd);
        if (output->live_fd >= 0) close(output->live_fd);
    }
    std::string name() const { return fs::path(output->path).filename().string(); }
    void write(const std::string& bytes) const {
        REQUIRE(::write(output->fd, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()));
    }
};

inline Settings with_output(const std::string& pattern) {
    Settings settings;
    if (pattern.empty()) return settings;
    std::memcpy(settings.output, pattern.c_str(), pattern.size() + 1);
    return settings;
}

inline Opened open_trace(const std::string& pattern = "", const ProcessIdentity& self = self_identity()) {
    Opened result;
    StderrCapture capture;
    note_beginning();  // whatever is there is of an earlier run
    result.ok = open_output(with_output(pattern), self, false, *result.output);
    result.warnings = capture.text();
    return result;
}

inline Opened open_in_forked_child(const Opened& parent, const std::string& pattern = "") {
    Opened result;
    *result.output = *parent.output;
    result.output->fd = result.output->live_fd = -1;
    ProcessIdentity child = self_identity();
    child.pid = 1234567;
    StderrCapture capture;
    result.ok = open_output(with_output(pattern), child, true, *result.output);
    result.warnings = capture.text();
    return result;
}

inline std::string own(const std::string& before, const std::string& after) { return before + std::to_string(getpid()) + after; }

}  // namespace fnprof::rt::testing

#include "output.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <csignal>
#include <cstring>
#include <functional>
#include <memory>
#include <set>
#include <vector>
#include "items.h"
#include "raw_frame.h"
#include "support/stderr_capture.h"
#include "support/temporary_directory.h"

using namespace fnprof::rt;
namespace format = fnprof::format;
namespace fs = std::filesystem;

namespace {

ProcessIdentity self_identity() {
    ProcessIdentity self;
    read_identity(self);
    return self;
}

// A process that is no more, of this machine.
ProcessIdentity dead_identity() {
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

std::string trace_of(const ProcessIdentity& owner, uint32_t image = 0) {
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

std::string live_file_of(const ProcessIdentity& owner) {
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

Settings with_output(const std::string& pattern) {
    Settings settings;
    if (pattern.empty()) return settings;
    std::memcpy(settings.output, pattern.c_str(), pattern.size() + 1);
    settings.output_given = true;
    return settings;
}

Opened open_trace(const std::string& pattern = "", const ProcessIdentity& self = self_identity()) {
    Opened result;
    StderrCapture capture;
    result.ok = open_output(with_output(pattern), self, false, *result.output);
    result.warnings = capture.text();
    return result;
}

Opened open_in_forked_child(const Opened& parent, const std::string& pattern = "") {
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

std::string own(const std::string& before, const std::string& after) { return before + std::to_string(getpid()) + after; }

}  // namespace

TEST_CASE("the trace is created in the working directory with its live file") {
    TemporaryDirectory directory;
    const Opened t = open_trace();
    REQUIRE(t.ok);
    CHECK(t.warnings.empty());
    CHECK(t.output->path == directory.file("trace.zst"));
    CHECK(t.output->live_path == directory.file("trace.zst.live"));
    CHECK(t.output->image == 0);
    struct stat file, live;
    REQUIRE(stat("trace.zst", &file) == 0);
    REQUIRE(stat("trace.zst.live", &live) == 0);
    CHECK(file.st_size == 0);
    CHECK(t.output->dev == file.st_dev);
    CHECK(t.output->ino == file.st_ino);
    CHECK(t.output->live_dev == live.st_dev);
    CHECK(t.output->live_ino == live.st_ino);
    for (int fd : {t.output->fd, t.output->live_fd}) {
        CHECK((fcntl(fd, F_GETFD) & FD_CLOEXEC) != 0);
        CHECK((fcntl(fd, F_GETFL) & O_ACCMODE) == O_RDWR);
    }
}

TEST_CASE("descriptors are high and leave the low numbers to the program") {
    TemporaryDirectory directory;
    const int before = dup(0);
    close(before);
    const Opened t = open_trace();
    REQUIRE(t.ok);
    CHECK(t.output->fd >= 900);
    CHECK(t.output->live_fd >= 900);
    const int after = dup(0);
    close(after);
    CHECK(before == after);
}

TEST_CASE("a low limit on descriptors is respected") {
    TemporaryDirectory directory;
    rlimit old;
    getrlimit(RLIMIT_NOFILE, &old);
    const rlimit low{40, old.rlim_max};
    setrlimit(RLIMIT_NOFILE, &low);
    const Opened t = open_trace();
    setrlimit(RLIMIT_NOFILE, &old);
    REQUIRE(t.ok);
    CHECK(t.output->fd < 40);
    CHECK(t.output->fd >= 35);
    CHECK(t.output->live_fd < 40);
}

TEST_CASE("without a free descriptor the program runs on with one warning") {
    TemporaryDirectory directory;
    rlimit old;
    getrlimit(RLIMIT_NOFILE, &old);
    Opened t;
    {
        StderrCapture capture;
        const rlimit none{3, old.rlim_max};
        setrlimit(RLIMIT_NOFILE, &none);
        std::vector<int> taken;
        for (int fd; (fd = dup(0)) >= 0;) taken.push_back(fd);
        t.ok = open_output(Settings(), self_identity(), false, *t.output);
        for (int fd : taken) close(fd);
        setrlimit(RLIMIT_NOFILE, &old);
        t.warnings = capture.text();
    }
    CHECK_FALSE(t.ok);
    CHECK(t.output->fd == -1);
    CHECK(t.warnings.find("too many open files") != std::string::npos);
}

TEST_CASE("a dead process's trace is replaced, and its stale live file with it") {
    TemporaryDirectory directory;
    write_file("trace.zst", trace_of(dead_identity()));
    write_file("trace.zst.live", live_file_of(dead_identity()));
    const int old_live = open("trace.zst.live", O_RDONLY);
    struct stat old_file;
    REQUIRE(stat("trace.zst", &old_file) == 0);
    const Opened t = open_trace();
    REQUIRE(t.ok);
    CHECK(t.name() == "trace.zst");
    CHECK(t.warnings.empty());
    CHECK(t.output->image == 0);
    CHECK(read_file("trace.zst").empty());
    CHECK(read_file("trace.zst.live").empty());
    // Somebody may still have the old one mapped: it keeps its bytes.
    struct stat old_stat;
    REQUIRE(fstat(old_live, &old_stat) == 0);
    CHECK(old_stat.st_size == static_cast<off_t>(sizeof(format::LiveHeader)));
    CHECK(old_stat.st_nlink == 0);
    close(old_live);
    CHECK(t.output->ino == old_file.st_ino);
}

TEST_CASE("an empty file is taken") {
    TemporaryDirectory directory;
    write_file("trace.zst", "");
    const Opened t = open_trace();
    REQUIRE(t.ok);
    CHECK(t.name() == "trace.zst");
}

TEST_CASE("a living process's trace is left alone") {
    TemporaryDirectory directory;
    const LivingProcess other;
    const std::string trace = trace_of(other.identity());
    write_file("trace.zst", trace);
    const Opened t = open_trace();
    REQUIRE(t.ok);
    CHECK(t.name() == own("trace.", ".zst"));
    CHECK(t.output->live_path == directory.file(own("trace.", ".zst.live")));
    CHECK(t.output->image == 0);
    CHECK(read_file("trace.zst") == trace);
    CHECK_FALSE(fs::exists("trace.zst.live"));
}

TEST_CASE("the same with an explicit output, without and with an extension") {
    TemporaryDirectory directory;
    const LivingProcess other;
    fs::create_directory("out.d");
    write_file("out.d/run", trace_of(other.identity()));
    write_file("run.tr", trace_of(other.identity()));
    CHECK(open_trace("out.d/run").output->path == directory.file(own("out.d/run.", "")));
    CHECK(open_trace(directory.file("run.tr")).output->path == directory.file(own("run.", ".tr")));
}

TEST_CASE("one's own earlier images keep their traces and are counted") {
    TemporaryDirectory directory;
    const ProcessIdentity self = self_identity();
    const char* const suffixes[] = {"", "", ".2", ".3"};
    for (uint32_t image = 0; image < 4; image++) {
        const Opened t = open_trace();
        REQUIRE(t.ok);
        CHECK(t.output->image == image);
        CHECK(t.name() == (image == 0 ? "trace.zst" : own("trace.", std::string(suffixes[image]) + ".zst")));
        t.write(trace_of(self, image));
    }
    CHECK(read_file("trace.zst") == trace_of(self, 0));
    CHECK(read_file(own("trace.", ".2.zst")) == trace_of(self, 2));
}

TEST_CASE("an image is counted where another process has the first name") {
    TemporaryDirectory directory;
    const LivingProcess other;
    write_file("trace.zst", trace_of(other.identity()));
    open_trace().write(trace_of(self_identity(), 0));
    const Opened second = open_trace();
    CHECK(second.output->image == 1);
    CHECK(second.name() == own("trace.", ".2.zst"));
}

TEST_CASE("a forked child writes beside its parent, in the directory where the parent started") {
    TemporaryDirectory directory;
    const Opened parent = open_trace();
    fs::create_directory("elsewhere");
    fs::current_path("elsewhere");
    const Opened child = open_in_forked_child(parent);
    REQUIRE(child.ok);
    CHECK(child.output->path == directory.file("trace.1234567.zst"));
    CHECK(child.output->image == 0);
    CHECK(child.warnings.empty());
    // The next process of that number within the run must not destroy it.
    child.write(trace_of(dead_identity()));
    CHECK(open_in_forked_child(parent).output->path == directory.file("trace.1234567.2.zst"));
}

TEST_CASE("a forked child with %p in its output gets that name") {
    TemporaryDirectory directory;
    const Opened parent = open_trace("t.%p.zst");
    CHECK(parent.name() == own("t.", ".zst"));
    CHECK(open_in_forked_child(parent, "t.%p.zst").name() == "t.1234567.zst");
    CHECK(open_in_forked_child(parent, "t.%p.zst").name() == "t.1234567.2.zst");
}

TEST_CASE("a forked child gives its parent's descriptors back, but not what took their numbers") {
    TemporaryDirectory directory;
    const Opened parent = open_trace();
    const pid_t child = fork();
    if (child == 0) {
        const int fd = parent.output->fd, live = parent.output->live_fd;
        const int own_file = open("mine", O_RDWR | O_CREAT, 0600);
        dup2(own_file, live);
        Output output = *parent.output;
        ProcessIdentity self = self_identity();
        if (!open_output(Settings(), self, true, output)) _exit(1);
        if (fcntl(live, F_GETFD) < 0) _exit(2);
        struct stat stat;
        if (fstat(fd, &stat) == 0 && stat.st_ino == parent.output->ino) _exit(3);
        _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    CHECK(status == 0);
}

TEST_CASE("a name with the process id in it is never replaced") {
    TemporaryDirectory directory;
    write_file(own("t.", ".zst"), trace_of(dead_identity()));
    const Opened t = open_trace("t.%p.zst");
    CHECK(t.name() == own("t.", ".2.zst"));
    CHECK(t.output->image == 0);
    CHECK(read_file(own("t.", ".zst")) == trace_of(dead_identity()));
}

TEST_CASE("somebody's data under the trace's name is not overwritten") {
    TemporaryDirectory directory;
    for (const char* pattern : {"", "data.zst"}) {
        const std::string name = *pattern != 0 ? pattern : "trace.zst";
        write_file(name, "the thesis");
        const Opened t = open_trace(pattern);
        REQUIRE(t.ok);
        CHECK(t.name() == own(name.substr(0, name.size() - 3), ".zst"));
        CHECK(read_file(name) == "the thesis");
        CHECK(t.warnings.find(name + " is not a trace that may be replaced") != std::string::npos);
    }
}

TEST_CASE("a trace that was cut at its birth is replaced") {
    TemporaryDirectory directory;
    write_file("trace.zst", trace_of(self_identity()).substr(0, 100));
    CHECK(open_trace().name() == "trace.zst");
}

TEST_CASE("a trace removed by hand while its process runs does not free the name") {
    TemporaryDirectory directory;
    const LivingProcess other;
    write_file("trace.zst.live", live_file_of(other.identity()));
    const Opened t = open_trace();
    CHECK(t.name() == own("trace.", ".zst"));
    CHECK(read_file("trace.zst.live") == live_file_of(other.identity()));
    CHECK_FALSE(fs::exists("trace.zst"));
}

TEST_CASE("somebody's data under the live file's name is not overwritten") {
    TemporaryDirectory directory;
    write_file("trace.zst.live", "a recording of a concert");
    const Opened t = open_trace();
    CHECK(t.name() == own("trace.", ".zst"));
    CHECK(read_file("trace.zst.live") == "a recording of a concert");
}

TEST_CASE("a lock held on a trace proves its owner alive where its identity cannot") {
    TemporaryDirectory directory;
    ProcessIdentity elsewhere = dead_identity();
    elsewhere.boot_id[0] ^= 1;  // another host on the same file system
    write_file("trace.zst", trace_of(elsewhere));
    int ready[2];
    REQUIRE(pipe(ready) == 0);
    const pid_t holder = fork();
    if (holder == 0) {
        const int fd = open("trace.zst", O_RDWR);
        struct flock lock {};
        lock.l_type = F_WRLCK;
        if (fcntl(fd, F_SETLK, &lock) != 0 || write(ready[1], "r", 1) != 1) _exit(1);
        for (;;) pause();
    }
    char c;
    REQUIRE(read(ready[0], &c, 1) == 1);
    CHECK(open_trace().name() == own("trace.", ".zst"));
    CHECK(read_file("trace.zst") == trace_of(elsewhere));
    kill(holder, SIGKILL);
    waitpid(holder, nullptr, 0);
    CHECK(open_trace().name() == "trace.zst");
    close(ready[0]);
    close(ready[1]);
}

TEST_CASE("of many processes that start at once each gets a file of its own") {
    TemporaryDirectory directory;
    for (const bool stale : {false, true}) {
        if (stale) write_file("trace.zst", trace_of(dead_identity()));
        int gate[2], done[2];
        REQUIRE(pipe(gate) == 0);
        REQUIRE(pipe(done) == 0);
        std::vector<pid_t> children;
        for (int i = 0; i < 16; i++) {
            const pid_t child = fork();
            if (child == 0) {
                close(gate[1]);
                char c;
                if (read(gate[0], &c, 1) != 0) _exit(1);
                static Output output;
                const ProcessIdentity self = self_identity();
                if (!open_output(Settings(), self, false, output)) _exit(2);
                const std::string trace = trace_of(self);
                if (write(output.fd, trace.data(), trace.size()) != static_cast<ssize_t>(trace.size())) _exit(3);
                if (write(done[1], "d", 1) != 1) _exit(4);
                for (;;) pause();
            }
            children.push_back(child);
        }
        close(gate[0]);
        close(gate[1]);
        for (size_t i = 0; i < children.size(); i++) {
            char c;
            REQUIRE(read(done[0], &c, 1) == 1);
        }
        std::set<uint64_t> owners;
        for (const auto& entry : fs::directory_iterator(".")) {
            if (entry.path().extension() != ".zst") continue;
            const std::string bytes = read_file(entry.path().string());
            TraceOwner owner;
            if (read_origin(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size(), owner) == FileOrigin::kTrace &&
                bytes.size() == trace_of(self_identity()).size())
                owners.insert(owner.process.pid);
        }
        for (pid_t child : children) {
            CHECK(owners.count(static_cast<uint64_t>(child)) == 1);
            kill(child, SIGKILL);
            waitpid(child, nullptr, 0);
        }
        close(done[0]);
        close(done[1]);
        for (const auto& entry : fs::directory_iterator(".")) fs::remove(entry.path());
    }
}

TEST_CASE("every code of an output is expanded, but not those of the directory") {
    TemporaryDirectory directory;
    fs::create_directory("100%p");
    fs::current_path("100%p");
    Settings settings = with_output("%e-%r-%%.zst");
    std::memcpy(settings.rank, "12", 3);
    Opened t;
    CHECK(open_output(settings, self_identity(), false, *t.output));
    CHECK(t.output->path == directory.file("100%p/fnprof_runtime_test-12-%.zst"));
}

TEST_CASE("the null device is taken without a live file, by any number of processes") {
    TemporaryDirectory directory;
    for (int i = 0; i < 2; i++) {
        const Opened t = open_trace("/dev/null");
        REQUIRE(t.ok);
        CHECK(std::string(t.output->path) == "/dev/null");
        CHECK(t.output->live_fd == -1);
        CHECK(t.output->live_path[0] == 0);
        CHECK(t.warnings.empty());
        const Opened child = open_in_forked_child(t, "/dev/null");
        REQUIRE(child.ok);
        CHECK(std::string(child.output->path) == "/dev/null");
    }
}

TEST_CASE("pipes, devices and directories are refused by name and reason") {
    TemporaryDirectory directory;
    fs::create_directory("directory");
    REQUIRE(mkfifo("pipe", 0600) == 0);
    struct Case {
        const char* path;
        const char* reason;
    };
    for (const Case& c :
         {Case{"directory", "is a directory"}, Case{"pipe", "is a pipe"}, Case{"/dev/zero", "is a device"},
          Case{"missing/trace.zst", "no such file or directory"}, Case{"/dev/null/trace.zst", "not a directory"}}) {
        const Opened t = open_trace(c.path);
        CAPTURE(t.warnings);
        CHECK_FALSE(t.ok);
        CHECK(t.output->fd == -1);
        CHECK(t.output->live_fd == -1);
        CHECK(std::count(t.warnings.begin(), t.warnings.end(), '\n') == 1);
        CHECK(t.warnings.find(c.path) != std::string::npos);
        CHECK(t.warnings.find(c.reason) != std::string::npos);
        CHECK(t.warnings.find("unprofiled") != std::string::npos);
    }
}

TEST_CASE("a name that is too long is refused") {
    TemporaryDirectory directory;
    const Opened t = open_trace(std::string(300, 'n') + ".zst");
    CHECK_FALSE(t.ok);
    CHECK(t.warnings.find("file name too long") != std::string::npos);
}

TEST_CASE("a directory where nothing may be written is told, a trace of another user is written beside") {
    TemporaryDirectory directory;
    fs::create_directory("closed");
    REQUIRE(chmod("closed", 0555) == 0);
    REQUIRE(chmod(".", 0777) == 0);
    write_file("trace.zst", trace_of(dead_identity()));
    REQUIRE(chmod("trace.zst", 0444) == 0);
    const pid_t child = fork();
    if (child == 0) {
        // The superuser may write anywhere.
        if (geteuid() == 0 && (setgid(65534) != 0 || setuid(65534) != 0)) _exit(1);
        const Opened closed = open_trace("closed/trace.zst");
        if (closed.ok || closed.warnings.find("permission denied") == std::string::npos) _exit(2);
        const Opened beside = open_trace();
        if (!beside.ok || beside.name() != own("trace.", ".zst")) _exit(3);
        _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    CHECK(status == 0);
    CHECK(chmod("closed", 0755) == 0);
}

TEST_CASE("a link to a file that does not exist yet makes that file") {
    TemporaryDirectory directory;
    fs::create_directory("scratch");
    fs::create_symlink("scratch/real.zst", "trace.zst");
    const Opened t = open_trace();
    REQUIRE(t.ok);
    CHECK(t.name() == "trace.zst");
    CHECK(fs::exists("scratch/real.zst"));
}

TEST_CASE("files can be opened again by their owner under any umask") {
    TemporaryDirectory directory;
    const mode_t old = umask(0777);
    const Opened t = open_trace();
    umask(old);
    REQUIRE(t.ok);
    struct stat stat;
    REQUIRE(fstat(t.output->fd, &stat) == 0);
    CHECK((stat.st_mode & 0777) == 0600);
    REQUIRE(fstat(t.output->live_fd, &stat) == 0);
    CHECK((stat.st_mode & 0777) == 0600);
}

TEST_CASE("a working directory that is gone leaves relative names") {
    TemporaryDirectory directory;
    fs::create_directory("gone");
    fs::current_path("gone");
    fs::remove(directory.file("gone"));
    const Opened t = open_trace();
    fs::current_path(directory.file(""));
    CHECK_FALSE(t.ok);
    CHECK(t.output->start_directory[0] == 0);
    CHECK(t.warnings.find("no such file or directory") != std::string::npos);
}

// What kind of file a trace may be, and its descriptors.
#include <sys/resource.h>
#include <functional>
#include <vector>
#include "support/output_fixture.h"

using namespace fnprof::rt;
using namespace fnprof::rt::testing;

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

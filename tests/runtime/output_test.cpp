// Whose trace gets which name.
#include <sys/file.h>
#include <functional>
#include <set>
#include <vector>
#include "support/output_fixture.h"

using namespace fnprof::rt;
using namespace fnprof::rt::testing;

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

TEST_CASE("a dead process's trace is left alone when that process ran beside this one") {
    TemporaryDirectory directory;
    note_beginning();
    for (const bool killed : {false, true}) {
        write_file("trace.zst", trace_of(dead_identity()));
        if (killed) write_file("trace.zst.live", live_file_of(dead_identity()));
        const auto now = fs::file_time_type::clock::now();  // the kernel's own times are some milliseconds early
        fs::last_write_time("trace.zst", killed ? now - std::chrono::hours(1) : now);
        if (killed) fs::last_write_time("trace.zst.live", now);
        Opened t;
        t.ok = open_output(Settings(), self_identity(), false, *t.output);
        REQUIRE(t.ok);
        CHECK(t.name() == own("trace.", ".zst"));
        CHECK(read_file("trace.zst") == trace_of(dead_identity()));
        CHECK(fs::exists("trace.zst.live") == killed);
        fs::remove(t.name());
        fs::remove(t.name() + ".live");
    }
    CHECK(open_trace().name() == "trace.zst");
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
        note_beginning();
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

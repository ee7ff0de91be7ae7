#include "identity.h"

#include <doctest/doctest.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cstring>
#include <string>
#include <thread>

using namespace fnprof::rt;

namespace {

std::string stat_line(const std::string& command) {
    return "77 (" + command +
           ") S 42 1 1 0 -1 4194304 99 0 0 0 1 2 3 4 20 0 5 0 72932 3133440 418 18446744073709551615 0 0\n";
}

// What a child with the same boot id looks like from here.
ProcessIdentity identity_of(pid_t pid, const ProcessIdentity& self) {
    ProcessIdentity other = self;
    other.pid = static_cast<uint64_t>(pid);
    std::string path = "/proc/" + std::to_string(pid) + "/stat";
    std::FILE* file = std::fopen(path.c_str(), "r");
    REQUIRE(file != nullptr);
    char text[1024];
    size_t length = std::fread(text, 1, sizeof text, file);
    std::fclose(file);
    ProcessStat stat{};
    REQUIRE(parse_process_stat(text, length, stat));
    other.process_start = stat.start;
    return other;
}

}  // namespace

TEST_CASE("a stat line is read whatever the command is called") {
    for (const char* command : {"cat", "a b", "a) S 1 (b", "))))", "", "\n"}) {
        ProcessStat stat{};
        std::string line = stat_line(command);
        CAPTURE(command);
        REQUIRE(parse_process_stat(line.data(), line.size(), stat));
        CHECK(stat.state == 'S');
        CHECK(stat.parent_pid == 42);
        CHECK(stat.thread_count == 5);
        CHECK(stat.start == 72932);
    }
}

TEST_CASE("a negative field does not end a stat line") {
    ProcessStat stat{};
    const std::string line = "1 (x) S 0 0 0 0 -1 0 0 0 0 0 0 0 -3 0 -20 -1 1 0 99 0";
    REQUIRE(parse_process_stat(line.data(), line.size(), stat));
    CHECK(stat.start == 99);
}

TEST_CASE("the exit code of a stat line is its 52nd field") {
    ProcessStat stat{};
    std::string line = "1 (x) Z";
    for (int field = 4; field < 52; field++) line += " " + std::to_string(field);
    REQUIRE(parse_process_stat(line.data(), line.size(), stat));
    CHECK(stat.exit_code == 0);
    line += " 768\n";
    REQUIRE(parse_process_stat(line.data(), line.size(), stat));
    CHECK(stat.exit_code == 768);
    CHECK(stat.start == 22);
}

TEST_CASE("a cut or foreign stat line is refused") {
    ProcessStat stat{};
    const std::string line = stat_line("cat");
    const size_t start_field = line.find(" 72932");
    for (size_t length = 0; length <= start_field; length++) CHECK_FALSE(parse_process_stat(line.data(), length, stat));
    CHECK_FALSE(parse_process_stat("no parenthesis", 14, stat));
    CHECK_FALSE(parse_process_stat("1 (x) S a b c", 13, stat));
}

TEST_CASE("this process knows itself") {
    ProcessIdentity self;
    read_identity(self);
    CHECK(self.pid == static_cast<uint64_t>(getpid()));
    CHECK(self.parent_pid == static_cast<uint64_t>(getppid()));
    CHECK(self.process_start != 0);
    const uint8_t none[16] = {};
    CHECK(std::memcmp(self.boot_id, none, 16) != 0);
    CHECK(is_alive(self, self));
    CHECK(same_process(self, self));
}

TEST_CASE("the same process id started at another time or boot is somebody else") {
    ProcessIdentity self;
    read_identity(self);
    ProcessIdentity other = self;
    other.process_start++;
    CHECK_FALSE(is_alive(other, self));
    CHECK_FALSE(same_process(other, self));
    other = self;
    other.boot_id[3] ^= 1;
    CHECK_FALSE(is_alive(other, self));
    CHECK_FALSE(same_process(other, self));
}

TEST_CASE("a process id that cannot be one is dead") {
    ProcessIdentity self;
    read_identity(self);
    for (uint64_t pid : {uint64_t{0}, uint64_t{1} << 31, ~uint64_t{0}}) {
        ProcessIdentity other = self;
        other.pid = pid;
        CHECK_FALSE(is_alive(other, self));
    }
}

TEST_CASE("a running child lives, a zombie and a reaped one do not") {
    ProcessIdentity self;
    read_identity(self);
    int gate[2];
    REQUIRE(pipe(gate) == 0);
    const pid_t child = fork();
    if (child == 0) {
        close(gate[1]);
        char c;
        _exit(static_cast<int>(read(gate[0], &c, 1)));
    }
    close(gate[0]);
    const ProcessIdentity other = identity_of(child, self);
    CHECK(is_alive(other, self));
    close(gate[1]);
    siginfo_t info;
    REQUIRE(waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOWAIT) == 0);
    CHECK_FALSE(is_alive(other, self));
    REQUIRE(waitpid(child, nullptr, 0) == child);
    CHECK_FALSE(is_alive(other, self));
}

TEST_CASE("a process whose first thread has left lives as long as its others run") {
    ProcessIdentity self;
    read_identity(self);
    int gate[2], ready[2];
    REQUIRE(pipe(gate) == 0);
    REQUIRE(pipe(ready) == 0);
    const pid_t child = fork();
    if (child == 0) {
        close(gate[1]);
        std::thread([&] {
            // The kernel shows the first thread as a zombie once it is gone.
            const std::string path = "/proc/self/task/" + std::to_string(getpid()) + "/stat";
            for (char text[512] = "";;) {
                std::FILE* file = std::fopen(path.c_str(), "r");
                size_t length = file != nullptr ? std::fread(text, 1, sizeof text, file) : 0;
                if (file != nullptr) std::fclose(file);
                ProcessStat stat{};
                if (parse_process_stat(text, length, stat) && stat.state == 'Z') break;
            }
            if (write(ready[1], "r", 1) != 1) _exit(1);
            char c;
            _exit(static_cast<int>(read(gate[0], &c, 1)));
        }).detach();
        syscall(SYS_exit, 0);  // what is left of pthread_exit without unwinding
    }
    close(gate[0]);
    char c;
    REQUIRE(read(ready[0], &c, 1) == 1);
    CHECK(is_alive(identity_of(child, self), self));
    close(gate[1]);
    waitpid(child, nullptr, 0);
    close(ready[0]);
    close(ready[1]);
}

TEST_CASE("the last process begun is one's own child until there is another") {
    const uint32_t before = last_pid_begun();
    CHECK(before != 0);
    const pid_t child = fork();
    if (child == 0) _exit(0);
    waitpid(child, nullptr, 0);
    CHECK(last_pid_begun() != before);
}

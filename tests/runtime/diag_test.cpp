#include "diag.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <csignal>
#include "support/stderr_capture.h"
#include "support/temporary_directory.h"

using namespace fnprof::rt;

namespace {

// Runs `body` in a child; its exit status, or -signal.
template <class Body>
int in_child(Body body) {
    const pid_t child = fork();
    if (child == 0) {
        body();
        _exit(0);
    }
    int status = 0;
    REQUIRE(waitpid(child, &status, 0) == child);
    return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

}  // namespace

TEST_CASE("a line begins with the name of the tool and ends with one newline") {
    StderrCapture capture;
    DiagLine().add("value ").add_decimal(42).add(": ").add_error(-28).write();
    CHECK(capture.text() == "fnprof: value 42: no space left on device\n");
}

TEST_CASE("an unknown error is told by its number") {
    StderrCapture capture;
    DiagLine().add_error(-1234).write();
    CHECK(capture.text() == "fnprof: error 1234\n");
}

TEST_CASE("an overlong line ends in dots and stays one line") {
    StderrCapture capture;
    DiagLine().add(std::string(5000, 'x').c_str()).write();
    CHECK(capture.lines() == 1);
    const std::string text = capture.text();
    CHECK(text.size() < 2000);
    CHECK(text.substr(text.size() - 5) == "x...\n");
}

TEST_CASE("a closed pipe on standard error does not kill the program") {
    CHECK(in_child([] {
              int ends[2];
              if (pipe(ends) != 0) _exit(1);
              close(ends[0]);
              dup2(ends[1], 2);
              signal(SIGPIPE, SIG_DFL);
              DiagLine().add("nobody reads this").write();
              sigset_t pending;
              sigpending(&pending);
              if (sigismember(&pending, SIGPIPE)) _exit(2);
          }) == 0);
}

TEST_CASE("a SIGPIPE that was pending before stays pending") {
    CHECK(in_child([] {
              int ends[2];
              if (pipe(ends) != 0) _exit(1);
              close(ends[0]);
              dup2(ends[1], 2);
              sigset_t set, pending;
              sigemptyset(&set);
              sigaddset(&set, SIGPIPE);
              sigprocmask(SIG_BLOCK, &set, nullptr);
              raise(SIGPIPE);
              DiagLine().add("nobody reads this").write();
              sigpending(&pending);
              _exit(sigismember(&pending, SIGPIPE) ? 0 : 2);
          }) == 0);
}

TEST_CASE("a file size limit on standard error does not kill the program") {
    TemporaryDirectory directory;
    CHECK(in_child([] {
              const int fd = open("log", O_WRONLY | O_CREAT, 0600);
              dup2(fd, 2);
              const rlimit none{0, 0};
              setrlimit(RLIMIT_FSIZE, &none);
              DiagLine().add("no room").write();
          }) == 0);
}

TEST_CASE("a full pipe on standard error does not stop the program") {
    CHECK(in_child([] {
              int ends[2];
              if (pipe(ends) != 0) _exit(1);
              fcntl(ends[1], F_SETFL, O_NONBLOCK);
              char block[4096] = {};
              while (write(ends[1], block, sizeof block) > 0) {
              }
              fcntl(ends[1], F_SETFL, 0);
              dup2(ends[1], 2);
              alarm(60);
              DiagLine().add("no room").write();
          }) == 0);
}

TEST_CASE("a file that took standard error's number gets none of our lines") {
    TemporaryDirectory directory;
    CHECK(in_child([] {
              int ends[2];
              if (pipe(ends) != 0) _exit(1);
              dup2(ends[1], 2);
              remember_stderr();
              close(2);
              if (open("database", O_RDWR | O_CREAT, 0600) != 2) _exit(2);
              DiagLine().add("not here").write();
          }) == 0);
    CHECK(read_file("database").empty());
}

TEST_CASE("standard error that was closed at the start stays unused") {
    TemporaryDirectory directory;
    CHECK(in_child([] {
              close(2);
              remember_stderr();
              if (open("database", O_RDWR | O_CREAT, 0600) != 2) _exit(2);
              DiagLine().add("not here").write();
          }) == 0);
    CHECK(read_file("database").empty());
}

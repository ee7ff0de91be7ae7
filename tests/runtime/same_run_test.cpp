// Who is of this run, by the facts that the kernel gives.
#include "same_run.h"

#include "support/output_fixture.h"
#include "sys.h"

using namespace fnprof::rt;
using namespace fnprof::rt::testing;

namespace {

uint64_t now_ns() { return sys::clock_ns(sys::kClockRealtime); }

// A process that is gone; it had another number than this one, and began `ticks` before it did.
ProcessIdentity other(uint64_t ticks) {
    ProcessIdentity gone = dead_identity();
    gone.pid = 1 << 30;
    gone.parent_pid = 1 << 30 | 1;
    gone.process_start = self_identity().process_start - ticks;
    return gone;
}

constexpr uint64_t kSecond = 1'000'000'000;

}  // namespace

TEST_CASE("what wrote after this image had begun is of the same run") {
    note_beginning();
    const uint64_t after = now_ns();
    CHECK(is_of_same_run(other(100), {after, 0}, self_identity()));
    ProcessIdentity same_number = other(100);
    same_number.pid = self_identity().pid;
    CHECK(is_of_same_run(same_number, {after, 0}, self_identity()));
}

TEST_CASE("what wrote last before this process began is of an earlier run") {
    note_beginning();
    CHECK_FALSE(is_of_same_run(other(1000), {now_ns() - 3600 * kSecond, 0}, self_identity()));
    CHECK_FALSE(is_of_same_run(other(1000), {0, 0}, self_identity()));
}

TEST_CASE("within one tick the process numbers decide") {
    note_beginning();
    const ProcessIdentity self = self_identity();
    // The middle of the tick in which this process began.
    const uint64_t tick_ns = 10'000'000;
    const uint64_t then = now_ns() - sys::clock_ns(sys::kClockBoottime) + self.process_start * tick_ns + tick_ns / 2;
    const auto pid = static_cast<uint32_t>(self.pid);
    CHECK(is_of_same_run(other(1), {then, pid}, self));
    CHECK(is_of_same_run(other(1), {then, pid + 1}, self));
    CHECK_FALSE(is_of_same_run(other(1), {then, pid - 1}, self));
    CHECK_FALSE(is_of_same_run(other(1), {then, pid + 20'000}, self));  // ours was given after the numbers had begun anew
    CHECK_FALSE(is_of_same_run(other(1), {then - tick_ns, pid + 1}, self));
    CHECK(is_of_same_run(other(1), {then + tick_ns, pid - 1}, self));
    // One that began after this one did, and was gone when this image began: a shell's child, and exec.
    ProcessIdentity younger = other(0);
    younger.pid = pid + 1;
    CHECK_FALSE(is_of_same_run(younger, {then, pid + 2}, self));
    CHECK_FALSE(is_of_same_run(younger, {then + tick_ns, pid + 2}, self));
    younger.pid = pid - 1;
    CHECK(is_of_same_run(younger, {then, pid + 2}, self));
}

TEST_CASE("times in the future and other boots tell nothing") {
    note_beginning();
    CHECK_FALSE(is_of_same_run(other(1000), {now_ns() + 3600 * kSecond, 0}, self_identity()));
    ProcessIdentity elsewhere = other(1000);
    elsewhere.boot_id[0] ^= 1;
    CHECK_FALSE(is_of_same_run(elsewhere, {now_ns(), 0}, self_identity()));
}

TEST_CASE("the leader of this process's group, of its session, and its parent are of the same run") {
    for (int which = 0; which < 3; which++) {
        const pid_t leader = fork();
        if (leader == 0) {
            if (which == 0) setpgid(0, 0);
            if (which == 1) setsid();
            note_beginning();
            ProcessIdentity gone = self_identity();
            if (fork() == 0) {
                if (which == 2) note_beginning();
                const bool same = is_of_same_run(gone, {1, 0}, self_identity());
                gone.pid++;
                const bool other = is_of_same_run(gone, {1, 0}, self_identity());
                _exit(same && !other ? 0 : 2);
            }
            int status = 0;
            wait(&status);
            _exit(status == 0 ? 0 : 1);
        }
        int status = 0;
        waitpid(leader, &status, 0);
        CHECK(status == 0);
    }
}

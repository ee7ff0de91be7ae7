#include "thread_stack.h"

#include <doctest/doctest.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <thread>

using namespace fnprof::rt;

namespace {

uint64_t here() { return reinterpret_cast<uint64_t>(__builtin_frame_address(0)); }

// What libc says of the calling thread's stack.
StackBounds told_by_libc() {
    pthread_attr_t attributes;
    REQUIRE(pthread_getattr_np(pthread_self(), &attributes) == 0);
    void* low = nullptr;
    size_t bytes = 0, guard_bytes = 0;
    REQUIRE(pthread_attr_getstack(&attributes, &low, &bytes) == 0);
    REQUIRE(pthread_attr_getguardsize(&attributes, &guard_bytes) == 0);
    pthread_attr_destroy(&attributes);
    const auto begin = reinterpret_cast<uint64_t>(low);
    return {begin, begin + bytes};
}

struct Seen {
    StackBounds ours, libc;
};

void* look(void* to) {
    *static_cast<Seen*>(to) = {own_stack_bounds(), told_by_libc()};
    return nullptr;
}

Seen look_in_thread(const pthread_attr_t& attributes) {
    Seen seen{};
    pthread_t thread;
    REQUIRE(pthread_create(&thread, &attributes, look, &seen) == 0);
    REQUIRE(pthread_join(thread, nullptr) == 0);
    return seen;
}

// Libc leaves guard pages of its own making out; they are nobody else's memory.
void check(const Seen& seen, size_t guard_bytes) {
    CHECK(seen.ours.high == seen.libc.high);
    CHECK(seen.ours.low <= seen.libc.low);
    CHECK(seen.ours.low >= seen.libc.low - guard_bytes);
}

// Exit status of a child in which `holds` is asked.
bool in_child(const std::function<bool()>& holds) {
    const pid_t child = fork();
    if (child == 0) _exit(holds() ? 0 : 1);
    int status = -1;
    REQUIRE(waitpid(child, &status, 0) == child);
    return status == 0;
}

}  // namespace

TEST_CASE("the stack of a thread that libc made") {
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    SUBCASE("of the usual size") { check(look_in_thread(attributes), 4096); }
    SUBCASE("of another size") {
        pthread_attr_setstacksize(&attributes, size_t{1} << 18);
        check(look_in_thread(attributes), 4096);
    }
    SUBCASE("with a large guard") {
        pthread_attr_setguardsize(&attributes, 65536);
        check(look_in_thread(attributes), 65536);
    }
    SUBCASE("in the program's own memory, which may begin anywhere") {
        for (const size_t shift : {size_t{0}, size_t{64}, size_t{4096 - 512}, size_t{2048}}) {
            constexpr size_t kBytes = 131072;
            char* memory = static_cast<char*>(std::aligned_alloc(4096, kBytes + 4096));
            pthread_attr_setstack(&attributes, memory + shift, kBytes);
            const Seen seen = look_in_thread(attributes);
            CAPTURE(shift);
            // A descriptor that lies across two pages may have the words that tell in the second one, which is not looked at.
            if (seen.ours.high != 0) check(seen, 0);
            if (shift == 0) CHECK(seen.ours.high != 0);
            std::free(memory);
        }
    }
    pthread_attr_destroy(&attributes);
}

TEST_CASE("the first thread's stack, which the kernel made") {
    REQUIRE(getpid() == gettid());
    const StackBounds bounds = own_stack_bounds();
    CHECK(bounds.low < here());
    CHECK(bounds.high > here());
    CHECK(in_child([] { return own_stack_bounds().high > here(); }));
    SUBCASE("is as large as its limit, and 128 MiB without one") {
        struct rlimit limit;
        REQUIRE(getrlimit(RLIMIT_STACK, &limit) == 0);
        for (const rlim_t bytes : {rlim_t{1} << 20, rlim_t{3} << 20, limit.rlim_max}) {
            const rlim_t expected = std::min(bytes, rlim_t{128} << 20);
            CHECK(in_child([&] {
                const struct rlimit lower = {bytes, limit.rlim_max};
                if (setrlimit(RLIMIT_STACK, &lower) != 0) return false;
                const StackBounds now = own_stack_bounds();
                return now.high == bounds.high && now.high - now.low == expected;
            }));
        }
    }
}

TEST_CASE("a thread on its signal stack knows its own stack, one on other memory does not") {
    static StackBounds seen;
    static StackBounds own;
    constexpr size_t kBytes = 65536;
    const auto look_from_handler = [](int) { seen = own_stack_bounds(); };
    const auto raise_on = [&](void* memory, int flags) {
        const stack_t stack = {.ss_sp = memory, .ss_flags = 0, .ss_size = kBytes};
        REQUIRE(sigaltstack(&stack, nullptr) == 0);
        struct sigaction action = {}, before = {};
        action.sa_handler = look_from_handler;
        action.sa_flags = flags;
        REQUIRE(sigaction(SIGUSR1, &action, &before) == 0);
        own = own_stack_bounds();
        raise(SIGUSR1);
        sigaction(SIGUSR1, &before, nullptr);
        const stack_t none = {.ss_sp = nullptr, .ss_flags = SS_DISABLE, .ss_size = 0};
        sigaltstack(&none, nullptr);
    };
    const auto check_here = [&] {
        void* const memory = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        REQUIRE(memory != MAP_FAILED);
        for (const int flags : {0, SA_ONSTACK}) {
            seen = {};
            raise_on(memory, flags);
            CHECK(own.high != 0);
            CHECK(seen.low == own.low);
            CHECK(seen.high == own.high);
        }
        ucontext_t back, fiber;
        REQUIRE(getcontext(&fiber) == 0);
        fiber.uc_stack = {.ss_sp = memory, .ss_flags = 0, .ss_size = kBytes};
        fiber.uc_link = &back;
        makecontext(&fiber, [] { seen = own_stack_bounds(); }, 0);
        REQUIRE(swapcontext(&back, &fiber) == 0);
        CHECK(seen.high == 0);
        munmap(memory, kBytes);
    };
    SUBCASE("the first thread") { check_here(); }
    SUBCASE("another one") { std::thread(check_here).join(); }
}

TEST_CASE("a child forked by another thread has that thread's stack") {
    bool same = false;
    std::thread([&] {
        const StackBounds bounds = own_stack_bounds();
        same = bounds.high != 0 && in_child([&] { return own_stack_bounds().low == bounds.low && own_stack_bounds().high == bounds.high; });
    }).join();
    CHECK(same);
}

TEST_CASE("threads that libc did not make: not known, and nothing is read that may not be there") {
    constexpr size_t kPage = 4096, kStack = 16 * kPage;
    char* memory = static_cast<char*>(mmap(nullptr, kStack + 2 * kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    REQUIRE(memory != MAP_FAILED);
    REQUIRE(mprotect(memory + kStack + kPage, kPage, PROT_NONE) == 0);
    // The thread pointer is the last word that can be read; it points to itself, as the compiler wants it.
    auto* last = reinterpret_cast<uint64_t*>(memory + kStack + kPage) - 1;
    *last = reinterpret_cast<uint64_t>(last);
    static volatile bool known;
    known = true;
    const auto body = [](void*) -> int {
        known = own_stack_bounds().high != 0;
        return 0;
    };
    const int child = clone(body, memory + kStack, CLONE_VM | CLONE_SETTLS | SIGCHLD, nullptr, nullptr, last);
    REQUIRE(child > 0);
    int status = -1;
    REQUIRE(waitpid(child, &status, 0) == child);
    CHECK(status == 0);
    CHECK_FALSE(known);
    munmap(memory, kStack + 2 * kPage);
}

TEST_CASE("a stack is told from other numbers in a descriptor") {
    constexpr uint64_t kSelf = 0x7f0000800000;
    const uint64_t descriptor[] = {kSelf, 0x1234, kSelf, 1, 0x7f0000000000, 0x100, 0x7f0000001000, 0x800000, 5};
    const StackBounds found = find_stack_block(kSelf, descriptor, 9);
    CHECK(found.low == 0x7f0000001000);
    CHECK(found.high == 0x7f0000801000);
    SUBCASE("a block that ends before the descriptor is none") {
        CHECK(find_stack_block(kSelf, descriptor, 6).high == 0);
        const uint64_t short_block[] = {kSelf, 0, kSelf, 0x7f0000001000, 0x7ff000};
        CHECK(find_stack_block(kSelf, short_block, 5).high == 0);
    }
    SUBCASE("one that ends far behind it is none") {
        const uint64_t long_block[] = {kSelf, 0, kSelf, 0x7f0000001000, 0x900000};
        CHECK(find_stack_block(kSelf, long_block, 5).high == 0);
    }
    SUBCASE("what does not begin with itself is no descriptor") {
        const uint64_t other[] = {kSelf, 0, 0, 0x7f0000001000, 0x800000};
        CHECK(find_stack_block(kSelf, other, 5).high == 0);
    }
}

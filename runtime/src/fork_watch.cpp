#include "fork_watch.h"

#include "clock.h"

extern "C" int __register_atfork(void (*prepare)(), void (*parent)(), void (*child)(), void* dso);

namespace fnprof::rt {

namespace {

// Set while the thread is in fork(), and in its child until that makes a record; 0 otherwise. A child that forks before it has made one
// hands its own on: what its children have in common with a trace ends there.
__thread uint64_t t_fork_ticks __attribute__((tls_model("initial-exec")));
constexpr uint64_t kByThisFork = uint64_t{1} << 63;

void before_fork() { t_fork_ticks = t_fork_ticks == 0 ? clock_ticks_anywhere() | kByThisFork : t_fork_ticks & ~kByThisFork; }
void after_fork_in_parent() {
    if ((t_fork_ticks & kByThisFork) != 0) t_fork_ticks = 0;
}

// The library is never unloaded, so its handlers are never taken back: any address names it.
__attribute__((constructor(101))) void watch_forks() {
    __register_atfork(before_fork, after_fork_in_parent, nullptr, reinterpret_cast<void*>(&watch_forks));
}

}  // namespace

uint64_t fork_ticks() {
    uint64_t ticks = t_fork_ticks & ~kByThisFork;
    t_fork_ticks = 0;
    return ticks != 0 ? ticks : clock_ticks_anywhere();
}

}  // namespace fnprof::rt

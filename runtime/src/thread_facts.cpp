#include "thread_facts.h"

#include "bytes.h"
#include "clock.h"
#include "lifecycle.h"
#include "sys.h"

namespace fnprof::rt {

namespace {

void read_own_name(ThreadFacts& facts) {
    constexpr int kPrGetName = 16;
    sys::prctl(kPrGetName, sys::ptr(facts.name));
}

}  // namespace

void read_thread_facts(ThreadFacts& facts) {
    facts.tid = in_vfork_child() ? 0 : sys::gettid();
    facts.start_ticks = clock_ticks();
    facts.stack = own_stack_bounds();
    zero_bytes(facts.name, sizeof facts.name);
    read_own_name(facts);
}

void update_thread_facts(ThreadFacts& facts) {
    if (facts.tid == 0 && !in_vfork_child()) facts.tid = sys::gettid();
    read_own_name(facts);
}

bool refresh_name(ThreadFacts& facts) {
    char path[64];
    TextBuffer(path, sizeof path).add("/proc/self/task/").add_decimal(static_cast<uint64_t>(facts.tid)).add("/comm");
    const long fd = sys::open(path, sys::kORdonly);
    if (sys::failed(fd)) return false;
    char name[sizeof facts.name] = {};
    const long n = sys::read(static_cast<int>(fd), name, sizeof name);
    sys::close(static_cast<int>(fd));
    if (n <= 1 || name[n - 1] != '\n') return false;
    name[n - 1] = 0;
    if (equal_bytes(name, facts.name, sizeof name)) return false;
    copy_bytes(facts.name, name, sizeof name);
    return true;
}

bool is_dead(const ThreadFacts& facts) {
    return facts.tid != 0 && sys::tgkill(sys::getpid(), facts.tid, 0) == -sys::kEsrch;
}

}  // namespace fnprof::rt

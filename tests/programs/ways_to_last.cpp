// Calls whose durations are known in kind: a slow first one, some that an exception leaves, a recursion, and some that never end.
#include <cstdlib>
#include <ctime>

volatile int sink;

__attribute__((no_instrument_function)) static void wait_ns(long ns) {
    const timespec time = {0, ns};
    nanosleep(&time, nullptr);
}

extern "C" {

__attribute__((noinline)) void lookup(int i) {
    if (i == 0) wait_ns(20000000);
    sink = sink + i;
}

__attribute__((noinline)) void throws(int i) { throw i; }

__attribute__((noinline)) void catches(int i) {
    try {
        throws(i);
    } catch (int caught) {
        sink = sink + caught;
    }
}

__attribute__((noinline)) void down(int n) {
    if (n > 0) down(n - 1);
    wait_ns(100000);
}

__attribute__((noinline)) void ends() { std::exit(0); }
}

int main() {
    for (int i = 0; i < 1000; ++i) lookup(i);
    for (int i = 0; i < 50; ++i) catches(i);
    down(9);
    ends();
}

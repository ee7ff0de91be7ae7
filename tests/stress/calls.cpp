// Calls, and the ways to leave functions other than by returning.
#include "actions.h"
#include <dlfcn.h>
#include <csetjmp>
#include <cstdio>
#include <sys/mman.h>
#include <ucontext.h>

namespace {

struct Thrown {};

// Throws from the depth, past frames with and without something to be destroyed.
NOINLINE void thrower(int caller, int depth) {
    MADE(caller, thrower);
    if (depth == 0) throw Thrown{};
    if (depth % 3 == 0) {
        Guard guard(id_thrower);
        CALL(id_thrower, leaf_b);
        CALL(id_thrower, thrower, depth - 1);
    } else {
        CALL(id_thrower, thrower, depth - 1);
        CALL(id_thrower, leaf_a);
    }
}

NOINLINE void rethrower(int caller, int depth) {
    MADE(caller, rethrower);
    try {
        CALL(id_rethrower, thrower, depth);
    } catch (Thrown&) {
        CALL(id_rethrower, leaf_b);
        throw;
    }
}

NOINLINE void jumper(int caller, int depth, jmp_buf& landing) {
    MADE(caller, jumper);
    if (depth == 0) longjmp(landing, 1);
    CALL(id_jumper, jumper, depth - 1, landing);
    CALL(id_jumper, leaf_a);
}

// ---------------------------------------------------------------------------------------------------------------
// Fibers

struct Fiber {
    ucontext_t host, own;
    int switches;
    bool over;
};

SILENT void go_to_host(Fiber& fiber) { swapcontext(&fiber.own, &fiber.host); }

NOINLINE void fiber_inner(int caller, Fiber& fiber) {
    MADE(caller, fiber_inner);
    for (int i = 0; i < fiber.switches; i++) {
        CALL(id_fiber_inner, leaf_a);
        go_to_host(fiber);
        CALL(id_fiber_inner, leaf_b);
    }
    if (roll(4) == 0) act(id_fiber_inner);
}

NOINLINE void fiber(int caller, Fiber& own) {
    MADE(caller, fiber);
    CALL(id_fiber, fiber_inner, own);
    CALL(id_fiber, leaf_b);
}

SILENT void start_fiber(unsigned high, unsigned low) {
    auto* own = reinterpret_cast<Fiber*>(uint64_t{high} << 32 | low);
    CALL(kNobody, fiber, *own);
    own->over = true;
    setcontext(&own->host);
}

}  // namespace

NOINLINE void compute(int caller) {
    MADE(caller, compute);
    const unsigned calls = roll(8) == 0 ? 20000 : 20 + roll(600);
    for (unsigned i = 0; i < calls; i++) {
        CALL(id_compute, leaf_a);
        if (i % 3 == 0) CALL(id_compute, leaf_b);
    }
}

NOINLINE void recurse(int caller, int depth) {
    MADE(caller, recurse);
    if (depth > 0) CALL(id_recurse, recurse, depth - 1);
    CALL(id_recurse, leaf_a);
}

NOINLINE void node(int caller) {
    MADE(caller, node);
    for (unsigned i = 1 + roll(3); i > 0; i--) act(id_node);
}

NOINLINE void catcher(int caller) {
    MADE(caller, catcher);
    lock_unwinder();
    try {
        if (roll(2) == 0)
            CALL(id_catcher, thrower, static_cast<int>(roll(12)));
        else
            CALL(id_catcher, rethrower, static_cast<int>(roll(12)));
    } catch (Thrown&) {
        CALL(id_catcher, leaf_a);
    }
    unlock_unwinder();
    CALL(id_catcher, leaf_b);
}

NOINLINE void lander(int caller) {
    MADE(caller, lander);
    jmp_buf landing;
    if (setjmp(landing) == 0)
        CALL(id_lander, jumper, static_cast<int>(roll(12)), landing);
    else
        CALL(id_lander, leaf_b);
    CALL(id_lander, leaf_a);
}

// A fiber that comes and goes; some are abandoned.
NOINLINE void switches(int caller) {
    MADE(caller, switches);
    constexpr size_t kStackBytes = 1 << 18;
    void* const stack = mmap(nullptr, kStackBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (stack == MAP_FAILED) return;
    Fiber own = {};
    own.switches = static_cast<int>(roll(20));
    const int resumed = roll(3) == 0 ? 1 + static_cast<int>(roll(10)) : 1000;
    getcontext(&own.own);
    own.own.uc_stack.ss_sp = stack;
    own.own.uc_stack.ss_size = kStackBytes;
    const auto address = reinterpret_cast<uint64_t>(&own);
    makecontext(&own.own, reinterpret_cast<void (*)()>(start_fiber), 2, static_cast<unsigned>(address >> 32), static_cast<unsigned>(address));
    self()->on_fiber++;
    for (int i = 0; i < resumed && !own.over; i++) {
        swapcontext(&own.host, &own.own);
        CALL(id_switches, leaf_b);
    }
    self()->on_fiber--;
    munmap(stack, kStackBytes);
}

NOINLINE void loads_plugin(int caller) {
    MADE(caller, loads_plugin);
#ifdef WITH_PLUGINS
    pthread_mutex_lock(&loader);
    void* const plugin = dlopen(roll(2) == 0 ? "./plug_a.so" : "./plug_b.so", RTLD_NOW | RTLD_LOCAL);
    pthread_mutex_unlock(&loader);
    if (plugin == nullptr) {
        fprintf(stderr, "stress: %s\n", dlerror());
        return;
    }
    auto* const call = reinterpret_cast<void (*)(Ledger*, int)>(dlsym(plugin, "call_plugin"));
    call(ledger, id_loads_plugin);
    if (roll(4) == 0) act(id_loads_plugin);
    call(ledger, id_loads_plugin);
    pthread_mutex_lock(&loader);
    dlclose(plugin);
    pthread_mutex_unlock(&loader);
#endif
    CALL(id_loads_plugin, leaf_a);
}

// Frames that die without their exit hook: thrower by an exception, jumper by a longjmp. What runs next is called by code that is
// not instrumented, from deeper in the stack than the dead frames were: nothing in enters and exits tells that they are dead.
#include <csetjmp>

#define PLAIN __attribute__((noinline, no_instrument_function))
#define NOINLINE __attribute__((noinline))

static volatile int sink;
static std::jmp_buf target;

NOINLINE void thrower() { throw 1; }
NOINLINE void jumper() { std::longjmp(target, 1); }
NOINLINE void handler() { sink = sink + 1; }
NOINLINE void landed() { sink = sink + 1; }

PLAIN static void from_deeper(void (*function)()) {
    volatile char frame[4096];
    frame[0] = 0;
    function();
    frame[1] = frame[0];
}

PLAIN static void catches() {
    try {
        thrower();
    } catch (int) {
    }
    from_deeper(handler);
}

PLAIN static void lands() {
    if (setjmp(target) == 0) jumper();
    from_deeper(landed);
}

int main() {
    catches();
    lands();
    return sink == 2 ? 0 : 1;
}

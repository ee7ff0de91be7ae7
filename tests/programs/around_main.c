// Functions that run before main and after it.
#include <stdlib.h>

static volatile unsigned total;

void shared_helper(void) { total++; }
__attribute__((constructor)) void before_main(void) { shared_helper(); }
__attribute__((constructor(101))) void before_everything(void) { shared_helper(); }
__attribute__((destructor)) void after_main(void) { shared_helper(); }
__attribute__((destructor(101))) void after_everything(void) { shared_helper(); }
void at_exit_first(void) { shared_helper(); }
void at_exit_last(void) { shared_helper(); }

int main(void) {
    atexit(at_exit_last);
    atexit(at_exit_first);
    return 0;
}

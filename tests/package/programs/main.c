/* Makes four instrumented calls: main once, leaf three times. Compiled as C and as C++. */
#include "leaf.h"

int main(void) {
    leaf();
    leaf();
    leaf();
    return 0;
}

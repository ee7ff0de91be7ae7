/* Compiled as C and as C++, instrumented. */
#include "leaf.h"

static volatile long sink;

void leaf(void) { sink = sink + 1; }

#include "../programs/leaf.h"

static volatile long sink;

void leaf() { sink = sink + 1; }

// rendezvous: calls leaf three times, prints "ready", waits for its standard input to end, calls leaf twice more.
#include <stdio.h>

static volatile unsigned total;

void leaf(void) { total++; }

int main(void) {
    for (int i = 0; i < 3; ++i) leaf();
    puts("ready");
    fflush(stdout);
    while (getchar() != EOF) continue;
    for (int i = 0; i < 2; ++i) leaf();
    return 0;
}

// chatty: writes a known text to both standard streams and returns 5; with an argument, changes the directory to it first.
#include <stdio.h>
#include <unistd.h>

static volatile unsigned total;

void leaf(void) { total++; }

int main(int argc, char** argv) {
    leaf();
    if (argc > 1 && chdir(argv[1]) != 0) return 1;
    puts("to standard output");
    fputs("to standard error\n", stderr);
    return 5;
}

// Makes four instrumented calls: main once, leaf three times.
#include "../programs/leaf.h"

int main() {
    leaf();
    leaf();
    leaf();
}

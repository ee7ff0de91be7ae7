// Calls whose source lines are known: "calls: NAME COUNT" behind a line says what the line calls, and how often in a run.
#include <cstdlib>

#define NOINLINE __attribute__((noinline))

static volatile int sink;

NOINLINE int leaf(int value) {
    sink = sink + value;
    return sink;
}

inline __attribute__((always_inline)) int inlined(int value) {
    return leaf(value) + 1;  // calls: leaf 30
}

NOINLINE int compare(const void* a, const void* b) {
    const int x = *static_cast<const int*>(a), y = *static_cast<const int*>(b);
    leaf(x);  // calls: leaf 1
    return x - y;
}

NOINLINE int sorts() {
    int values[2] = {2, 1};
    qsort(values, 2, sizeof values[0], compare);
    return values[0];
}

NOINLINE int down(int depth) {
    int sum = depth;
    if (depth > 0)
        sum += down(depth - 1);  // calls: down 4
    if (depth > 2)
        sum += down(0);  // calls: down 2
    return sum + leaf(depth);  // calls: leaf 7
}

int main() {
    int sum = 0;
    for (int i = 0; i < 10; ++i) {
        sum += leaf(i);                // calls: leaf 10
        sum += leaf(1) + leaf(2);      // calls: leaf 20
        for (int k = 0; k < 3; ++k)
            sum += inlined(k);
    }
    sum += sorts();  // calls: sorts 1
    sum += down(4);  // calls: down 1
    return sum == 12345 ? 1 : 0;
}

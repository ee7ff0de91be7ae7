//! what: destructors of thread_local objects call instrumented code that throws and is caught there; constructors run at first use
//! right: the destructors are roots of their threads (and of main at exit); their calls are theirs
//! calls: main=1 use=11 T::T=11 T::~T=11 fail=11 mend=11 entry=10
//! edges: entry>use=10 main>use=1 use>T::T=11 T::~T>fail=11 T::~T>mend=11 .>T::~T=11
//! link: both
#include "case.h"
#include <pthread.h>
extern "C" { NI void fail() { sink++; throw 1; } NI void mend() { sink++; } }
struct T { long n; NI T() { n = 1; } NI ~T() { try { fail(); } catch (int) { mend(); } } };
static thread_local T mine;
extern "C" { NI void use() { mine.n++; } NI void *entry(void *p) { use(); return p; } }
int main() { use(); for (int i = 0; i < 10; i++) { pthread_t t; pthread_create(&t, 0, entry, 0); pthread_join(t, 0); } return 0; }

//! what: pthread_exit from deep frames with destructors that make calls, and a catch (...) that rethrows
//! right: each destructor is a child of its own frame, its call the destructor's
//! calls: main=1 entry=30 a=30 b=30 G::~G=60 note=60 passing=30 bye=30
//! edges: entry>a=30 a>b=30 b>bye=30 b>G::~G=30 a>G::~G=30 G::~G>note=60 entry>passing=30
//! link: both
#include "case.h"
#include <pthread.h>
extern "C" { NI void note() { sink++; } NI void bye() { sink++; } NI void passing() { sink++; } }
struct G { NI ~G() { note(); } };
extern "C" {
NI void b() { G g; bye(); pthread_exit(nullptr); }
NI void a() { G g; b(); sink++; }
NI void *entry(void *p) { try { a(); } catch (...) { passing(); throw; } return p; }
}
int main() { for (int i = 0; i < 30; i++) { pthread_t t; pthread_create(&t, 0, entry, 0); pthread_join(t, 0); } return 0; }

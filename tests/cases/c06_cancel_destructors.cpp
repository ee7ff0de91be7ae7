//! what: deferred cancellation of C++ threads: the unwinder is called by libc alone; destructors and a catch (...) that rethrows make calls
//! right: each destructor is a child of its own frame, not of the frames that are gone
//! calls: main=1 entry=30 a=30 b=30 wait_here=30 G::~G=60 note=60 passing=30
//! edges: entry>a=30 a>b=30 b>wait_here=30 b>G::~G=30 a>G::~G=30 G::~G>note=60 entry>passing=30
//! link: both
#include "case.h"
#include <pthread.h>
#include <unistd.h>
extern "C" { NI void note() { sink++; } NI void passing() { sink++; } NI void wait_here() { for (;;) pause(); } }
struct G { NI ~G() { note(); } };
extern "C" {
NI void b() { G g; wait_here(); sink++; }
NI void a() { G g; b(); sink++; }
NI void *entry(void *p) { try { a(); } catch (...) { passing(); throw; } return p; }
}
int main() { for (int i = 0; i < 30; i++) { pthread_t t; pthread_create(&t, 0, entry, 0); pthread_cancel(t); pthread_join(t, 0); } return 0; }

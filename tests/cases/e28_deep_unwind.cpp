//! what: an exception passes 100,000 frames, each with a destructor that makes a call; then it happens again
//! right: the destructor's call at each depth; after is main's
//! calls: main=1 dig=200002 G::~G=200000 after=2
//! edges: main>dig=2 dig>dig=200000 dig>G::~G=200000 main>after=2
//! pre: ulimit -s unlimited || ulimit -s 1000000
//! timeout: 120
#include "case.h"
struct G { NI ~G() { sink++; } };
extern "C" {
NI void dig(int n) { if (n == 0) throw 1; G g; dig(n - 1); sink++; }
NI void after() { sink++; }
}
int main() { for (int i = 0; i < 2; i++) { try { dig(100000); } catch (int) {} after(); } return 0; }

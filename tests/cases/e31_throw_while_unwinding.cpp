//! what: a destructor that runs because of an exception throws another and catches it itself, three levels of it
//! right: the inner exception's frames end in the destructor; the outer one goes on to main
//! calls: main=1 scope=40 first=40 G::~G=40 second=40 saved=40 third=40 deepest=40 caught=40
//! edges: main>scope=40 scope>first=40 scope>G::~G=40 G::~G>second=40 G::~G>saved=40 saved>third=40 saved>deepest=40 main>caught=40
//! link: both
#include "case.h"
extern "C" {
NI void first() { sink++; throw 1; }
NI void second() { sink++; throw 2.0; }
NI void third() { sink++; throw "three"; }
NI void deepest() { sink++; }
NI void caught() { sink++; }
NI void saved() { try { third(); } catch (const char *) { deepest(); } }
}
struct G { NI ~G() { try { second(); } catch (double) { saved(); } } };
extern "C" { NI void scope() { G g; first(); sink++; } }
int main() { for (int i = 0; i < 40; i++) { try { scope(); } catch (int) { caught(); } } return 0; }

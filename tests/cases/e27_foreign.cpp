//! what: an exception of another language (raised by _Unwind_RaiseException) through a destructor into catch (...), rethrown, caught again
//! right: as with an exception of C++
//! calls: main=1 outer=50 mid=50 lift=50 G::~G=50 first=50 second=50 gone=50
//! edges: main>outer=50 outer>mid=50 mid>lift=50 mid>G::~G=50 mid>first=50 outer>second=50 main>gone=50
//! link: both
#include "case.h"
#include <cstring>
#include <unwind.h>
static _Unwind_Exception foreign;
struct G { NI ~G() { sink++; } };
extern "C" {
NI void lift() { memset(&foreign, 0, sizeof foreign); memcpy(&foreign.exception_class, "OTHRLANG", 8); _Unwind_RaiseException(&foreign); }
NI void first() { sink++; }
NI void second() { sink++; }
NI void gone() { sink++; }
NI void mid() { try { G g; lift(); sink++; } catch (...) { first(); throw; } }
NI void outer() { try { mid(); sink++; } catch (...) { second(); } }
}
int main() { for (int i = 0; i < 50; i++) { outer(); gone(); } return 0; }

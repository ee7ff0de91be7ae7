//! what: _Unwind_ForcedUnwind with a stop function that leaves by longjmp at its target, over a destructor that makes calls
//! right: the destructor is a child of the frame it belongs to, its call its own child; next is main's
//! calls: main=1 top=50 mid=50 G::~G=50 note=50 start=50 next=50
//! edges: main>top=50 top>mid=50 mid>start=50 mid>G::~G=50 G::~G>note=50 main>next=50
//! link: both
#include "case.h"
#include <csetjmp>
#include <cstring>
#include <unwind.h>
int main();
static jmp_buf back; static _Unwind_Exception request;
extern "C" {
NI void note() { sink++; }
NI void next() { sink++; }
NOINST _Unwind_Reason_Code stop(int, _Unwind_Action, _Unwind_Exception_Class, _Unwind_Exception *, _Unwind_Context *context, void *) {
  if (_Unwind_GetRegionStart(context) == reinterpret_cast<_Unwind_Ptr>(&main)) longjmp(back, 1);
  return _URC_NO_REASON;
}
NI void start() { memset(&request, 0, sizeof request); _Unwind_ForcedUnwind(&request, stop, nullptr); sink++; }
}
struct G { NI ~G() { note(); } };
extern "C" { NI void mid() { G g; start(); sink++; } NI void top() { mid(); sink++; } }
int main() {
  for (volatile int i = 0; i < 50; i++) {
    if (setjmp(back) == 0) top(); else next();
  }
  return 0;
}

//! what: protected calls as in interpreters: setjmp nested 50 deep, an error is passed up by longjmp from handler to handler
//! right: every protected call's handler runs in its own frame; then main goes on
//! calls: main=1 call=1020 body=1020 raise_error=1020 handled=1020 done=20
//! edges: main>call=20 call>body=1020 body>call=1000 body>raise_error=20 call>handled=1020 call>raise_error=1000 main>done=20
//! flags: -D_FORTIFY_SOURCE=2
//! link: both
#include "case.h"
#include <setjmp.h>
static jmp_buf *top;
NI void raise_error(void) { sink++; longjmp(*top, 1); }
NI void handled(void) { sink++; }
void body(int n);
NI void call(int n) { jmp_buf own, *volatile outer = top; top = &own; if (!setjmp(own)) { body(n); top = outer; } else { top = outer; handled(); if (outer) raise_error(); } }
NI void body(int n) { if (n) call(n - 1); else raise_error(); sink++; }
NI void done(void) { sink++; }
int main(void) { for (volatile int i = 0; i < 20; i++) { top = 0; call(50); done(); } return 0; }

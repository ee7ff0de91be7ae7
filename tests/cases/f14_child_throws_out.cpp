//! what: children of a fork throw out of frames they inherited; one is caught three inherited frames up, its handler and later calls follow
//! right: in the child top>handler and main>next; the parent is not touched
//! calls: main=1 top=10 mid=10 low=10 handler=10 rest=10 next=20
//! edges: main>top=10 top>mid=10 mid>low=10 top>handler=10 low>rest=10 main>next=20
//! procs: 11
//! link: both
#include "case.h"
#include <sys/wait.h>
#include <unistd.h>
extern "C" {
NI void rest() { sink++; }
NI void low() { if (fork() == 0) throw 1; rest(); }
NI void mid() { low(); sink++; }
NI void handler() { sink++; }
NI bool top() { try { mid(); } catch (int) { handler(); return true; } return false; }
NI void next() { sink++; }
}
int main() { for (int i = 0; i < 10; i++) { bool child = top(); next(); if (child) return 0; int s; wait(&s); if (s) return 9; } return 0; }

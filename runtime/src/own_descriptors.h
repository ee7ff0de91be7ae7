// The collector's own descriptor table. It must not open anything in the program's: for the moment that its file has a low number
// there, a single-threaded program's open() gets another number than the lowest one that it knows to be free, and its dup2() to
// that number puts the program's pipe in the place of our file, which the collector would then read, and close.
// Covered by e2e.descriptors.*
//
// So it leaves the table and keeps the two files that it writes. Whatever names a descriptor has two numbers, one in each table.
// Before Linux 5.9, and where it is refused, the table stays shared.
#pragma once

namespace fnprof::rt {

// Gives the calling thread a table in which only the given descriptors are open, under the same numbers; a negative one stands for
// none. Context: collector.
void leave_descriptor_table(int first, int second);

// Whether the calling thread did that. A system call. Context: any; signal-safe.
bool in_own_descriptor_table();

// The thread is gone, or did not come along into this forked child.
void forget_own_descriptor_table();

}  // namespace fnprof::rt

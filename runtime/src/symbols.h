// Names for the functions seen, from the symbol tables of the modules' files: one linear pass over .symtab (.dynsym where
// there is none) against the set of functions. No sorting, no debug information; the file may be anything and every bound
// is checked, reads go through pread since a mapping of a file that shrinks is a SIGBUS.
//
// An address that is the slot of an ifunc gets the name of the ifunc (gcc's target_clones).
//
// Several symbols at one address: a function before an ifunc before an untyped label, then global before weak before
// local, then the longest extent, then the shortest name, then the first in the alphabet.
//
// Context: collector, end, under the metadata lock; signal-safe.
#pragma once

#include "function_set.h"
#include "items.h"
#include "modules.h"

namespace fnprof::rt {

// Called between items: writes out what has been gathered when it is much.
using Spill = void (*)();

// Writes names items for the functions of `module` that are not named yet, if there are any, none much larger than a megabyte. They
// count as named then, whether a symbol was found or not.
void write_names(ItemWriter& writer, Modules& modules, Module& module, FunctionSet& functions, Spill spill);

// Does that for every module.
void write_all_names(ItemWriter& writer, Modules& modules, FunctionSet& functions, Spill spill);

}  // namespace fnprof::rt

// A library that the stress program loads and unloads. Two are made of it, PLUGIN names which; as like as they are, one may be loaded
// where the other was.
#include "ledger.h"

struct Ledger* ledger;
static volatile unsigned sink;

NOINLINE static void plug_helper(int caller) {
    MADE(caller, plug_helper);
    sink++;
}

#define GLUE2(a, b) a##b
#define GLUE(a, b) GLUE2(a, b)

NOINLINE static void PLUGIN(int caller) {
    count_made(caller, GLUE(id_, PLUGIN));
    for (int i = 0; i < 20; i++) CALL(GLUE(id_, PLUGIN), plug_helper);
}

SILENT void call_plugin(struct Ledger* shared, int caller) {
    ledger = shared;
    count_begun(caller, GLUE(id_, PLUGIN));
    PLUGIN(caller);
}

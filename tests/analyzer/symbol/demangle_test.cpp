#include "symbol/demangle.h"

#include <doctest/doctest.h>

using fnprof::symbol::demangle;

TEST_CASE("C++ names are demangled and others stay as they are") {
    CHECK(demangle("_Z3fibi") == "fib(int)");
    CHECK(demangle("_ZZ4mainENKUliE_clEi") == "main::{lambda(int)#1}::operator()(int) const");
    CHECK(demangle("main") == "main");
    CHECK(demangle("i") == "i");
    CHECK(demangle("main.fib") == "main.fib");
    CHECK(demangle("pack__proc") == "pack__proc");
    CHECK(demangle("_Znonsense") == "_Znonsense");
    CHECK(demangle("") == "");
}

TEST_CASE("clones show what they are clones of") {
    CHECK(demangle("_Z3fooi.constprop.0") == "foo(int) [clone .constprop.0]");
    CHECK(demangle("foo.constprop.0") == "foo [clone .constprop.0]");
    CHECK(demangle("foo.isra.0.cold") == "foo [clone .isra.0.cold]");
}

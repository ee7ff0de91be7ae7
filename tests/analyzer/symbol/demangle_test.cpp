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

TEST_CASE("a long name is demangled and cut") {
    std::string name = "_Z1f1B1AIS_S_E";
    const std::string digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
    const auto round = [&](size_t i) { return std::string("S0_IS") + digits[i] + "_S" + digits[i] + "_E"; };
    // Each round makes a type of two of the one before: A<T, T>.
    for (size_t i = 1; i < 14; ++i) name += round(i);
    const std::string text = demangle(name);
    CHECK(text.size() == fnprof::symbol::kDemangledLimit + 3);
    CHECK(text.starts_with("f(B, A<B, B>, A<A<B, B>, A<B, B> >"));
    CHECK(text.ends_with("..."));

    SUBCASE("and one that would expand without end stays mangled, without harm to the next") {
        std::string hostile = name;
        for (size_t i = 14; i < 36; ++i) hostile += round(i);
        CHECK(demangle(hostile) == hostile);
        CHECK(demangle(name) == text);
    }
}

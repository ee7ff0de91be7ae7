// A thread's own stack: where it ends, and what lay in its memory before.
#include <doctest/doctest.h>

#include "stack_script.h"

namespace fnprof::model::test {

namespace {

// Stack pointers of memory far from each other.
constexpr uint32_t kMain = 3000000000;
constexpr uint32_t kFiber1 = 50000;

}  // namespace

TEST_CASE("a call back from deep inside uninstrumented code stays on a stack that is known to reach there") {
    Script s;
    s.enter("main", kMain);
    SUBCASE("known") {
        s.thread().extent = {kMain - 60000, kMain + 100};
        s.enter("callback", kMain - 60000);
        CHECK(s.chain() == "main>callback");
        s.enter("fiber", kMain - 70000);  // beyond its end
        CHECK(s.chain() == "fiber");
    }
    SUBCASE("what lies above it may be a fiber's stack in a local variable") {
        s.thread().extent = {kMain - 60000, kMain + 5000};
        s.enter("fiber", kMain + 2000);
        CHECK(s.chain() == "fiber");
        s.exit("fiber", kMain + 2000);
        CHECK(s.chain() == "main");
    }
    SUBCASE("not known: it may be a fiber") {
        s.enter("callback", kMain - 60000);
        CHECK(s.chain() == "callback");
    }
}

TEST_CASE("a new thread on a dead thread's memory has no callers from it") {
    Script s;
    s.on(1).enter("w", kMain);
    s.enter("quits", kMain - 10, "w");
    s.on(2).enter("w", kMain);
    CHECK(s.chain(2) == "w");
    s.enter("job", kMain - 10, "w");
    CHECK(s.chain(2) == "w>job");
    s.end();
    CHECK(s.edges(".", "w") == 2);
}

TEST_CASE("a new thread whose stack lies where fibers were abandoned begins on its own") {
    Script s;
    s.on(1).enter("main", kMain);
    for (uint32_t i = 0; i < 2; ++i) {
        s.enter("fiber", kFiber1 + i);
        s.enter("yield", kFiber1 - 20 + i, "fiber");
        s.enter("drop", kMain - 10, "main");
        s.exit("drop", kMain - 10);
    }
    s.on(2).enter("handler", kFiber1 - 10);
    CHECK(s.chain(2) == "handler");
    s.exit("handler", kFiber1 - 10);
    s.enter("worker", kFiber1 - 5);
    CHECK(s.chain(2) == "worker");
    s.exit("worker", kFiber1 - 5);
    s.end();
    CHECK(s.edges(".", "worker") == 1);
    CHECK(s.counts().unmatched_exits == 0);
}

// A fiber that is abandoned at kFiber1, of which nobody hears again.
void abandon_fiber(Script& s) {
    s.on(1).enter("main", kMain);
    s.enter("fiber", kFiber1);
    s.enter("yield", kFiber1 - 20, "fiber");
    s.enter("drop", kMain - 10, "main");
    s.exit("drop", kMain - 10);
}

TEST_CASE("a new thread that begins on a signal stack is on its own stack afterwards, whatever lay there before") {
    Script s;
    abandon_fiber(s);
    const uint32_t kSignalStack = kFiber1 + 120000;
    s.thread(2).extent = {kFiber1 - 5000, kFiber1 + 100};
    s.on(2).enter("handler", kSignalStack);
    CHECK(s.chain(2) == "handler");
    SUBCASE("after the handler") {
        s.exit("handler", kSignalStack);
        CHECK(s.chain(2) == "");
        SUBCASE("where the fiber was") { s.enter("worker", kFiber1 - 10); }
        SUBCASE("at the very top") { s.enter("worker", kFiber1 + 99); }
        SUBCASE("far below") { s.enter("worker", kFiber1 - 4900); }
    }
    SUBCASE("by siglongjmp") {
        s.longjmp(kFiber1 - 5);
        s.enter("worker", kFiber1 - 10);
    }
    CHECK(s.chain(2) == "worker");
    s.enter("job", kFiber1 - 4950, "worker");
    CHECK(s.chain(2) == "worker>job");
    s.enter("handler", kSignalStack);
    CHECK(s.chain(2) == "handler");
    s.exit("handler", kSignalStack);
    CHECK(s.chain(2) == "worker>job");
    s.end();
    CHECK(s.edges(".", "worker") == 1);
    CHECK(s.counts().unmatched_exits == 0);
}

TEST_CASE("memory just beyond a thread's own stack is not that stack") {
    Script s;
    s.thread(2).extent = {kMain - 500, kMain + 100};
    s.on(2).enter("worker", kMain);
    const auto visit = [&](uint32_t at) {
        s.enter("other", at);
        CHECK(s.chain(2) == "other");
        s.exit("other", at);
        CHECK(s.chain(2) == "worker");
    };
    SUBCASE("above") { visit(kMain + 101); }
    SUBCASE("below") { visit(kMain - 501); }
    SUBCASE("unless it is the kernel's, which may have grown") {
        s.thread(2).extent.grows = true;
        visit(kMain + 101);
        s.enter("deep", kMain - 501);
        CHECK(s.chain(2) == "worker>deep");
    }
    s.end();
    CHECK(s.counts().unmatched_exits == 0);
}

TEST_CASE("a fiber that a thread has made on its own stack keeps its calls") {
    Script s;
    s.thread(1).extent = {kMain - 60000, kMain + 5000};
    s.on(1).enter("main", kMain);
    s.enter("fiber", kMain + 2000);
    s.enter("yield", kMain + 1990, "fiber");
    s.enter("step", kMain - 10, "main");
    s.exit("step", kMain - 10);
    s.exit("main", kMain);
    CHECK(s.chain(1) == "");
    s.exit("yield", kMain + 1990);
    CHECK(s.chain(1) == "fiber");
    CHECK(s.counts().unmatched_exits == 0);
}

TEST_CASE("a call by nothing instrumented above a suspended fiber's last call finds memory used anew") {
    Script s;
    abandon_fiber(s);
    SUBCASE("above it: the calls could not have ended without a record") {
        s.on(2).enter("handler", kFiber1 - 10);
        CHECK(s.chain(2) == "handler");
        s.exit("handler", kFiber1 - 10);
        CHECK(s.chain(2) == "");
        s.end();
        CHECK(s.endings("yield", Ending::kProvedDead) == 1);
    }
    SUBCASE("below it: the fiber goes on, and something calls back") {
        s.on(2).enter("worker", kMain + 600000);
        s.enter("callback", kFiber1 - 50, "", 1);
        CHECK(s.chain(2) == "fiber>yield>callback");
    }
    SUBCASE("above it, but by a longjmp the fiber has got rid of calls") {
        s.on(1).enter("back", kFiber1 - 30, "yield");
        s.longjmp(kMain);
        s.enter("again", kFiber1 - 10, "", 1);
        CHECK(s.chain(1) == "fiber>again");
    }
}

}  // namespace fnprof::model::test

// Several stacks of memory: signal stacks, fibers, split stacks, fibers that change threads.
#include <doctest/doctest.h>

#include "stack_script.h"

namespace fnprof::model::test {

namespace {

// Stack pointers of memory far from each other.
constexpr uint32_t kMain = 3000000000;
constexpr uint32_t kFiber1 = 50000;
constexpr uint32_t kFiber2 = kFiber1 + 4097;  // next in a heap of 64 KiB blocks
constexpr uint32_t kSignal = 90000;

}  // namespace

TEST_CASE("a handler on a signal stack is a root and the interrupted calls go on after it") {
    Script s;
    s.at(100).enter("main", kMain);
    s.at(110).enter("deep", kMain - 10, "main");
    s.at(120).enter("handler", kSignal);
    s.at(130).enter("inner", kSignal - 5, "handler");
    s.at(140).exit("inner", kSignal - 5);
    s.at(150).exit("handler", kSignal);
    CHECK(s.chain() == "main>deep");
    s.at(160).enter("after", kMain - 20, "deep");
    CHECK(s.chain() == "main>deep>after");
    s.at(170).exit("after", kMain - 20);
    s.at(180).exit("deep", kMain - 10);
    s.at(190).exit("main", kMain);
    CHECK(s.edges(".", "handler") == 1);
    CHECK(s.edges("handler", "inner") == 1);
    CHECK(s.self_ns("deep") == 10 + 10 + 10);
    CHECK(s.self_ns("handler") == 20);
    CHECK(s.thread().busy_ns == 90);
}

TEST_CASE("a handler on the interrupted stack is a child of what it interrupted") {
    Script s;
    s.enter("main", kMain);
    s.enter("deep", kMain - 10, "main");
    s.enter("handler", kMain - 300);
    CHECK(s.chain() == "main>deep>handler");
}

TEST_CASE("a handler that jumps out of its signal stack does not become its own caller next time") {
    Script s;
    s.enter("main", kMain);
    for (int i = 0; i < 3; ++i) {
        s.enter("fault", kMain - 10, "main");
        s.enter("handler", kSignal);
        CHECK(s.chain() == "handler");
        s.enter("report", kSignal - 8, "handler");
        s.longjmp(kMain);
        CHECK(s.chain() == "main");
    }
    s.exit("main", kMain);
    s.end();
    CHECK(s.edges(".", "handler") == 3);
    CHECK(s.endings("fault", Ending::kUnwound) == 3);
    CHECK(s.counts().unmatched_exits == 0);
}

TEST_CASE("a handler that interrupts a fiber gives the time back to the fiber") {
    Script s;
    s.enter("main", kMain);
    s.at(2000).enter("fiber", kFiber1);
    s.at(2010).enter("handler", kSignal);
    s.at(2020).exit("handler", kSignal);
    CHECK(s.chain() == "fiber");
    s.at(2050).exit("main", kMain);
    s.end();
    CHECK(s.self_ns("fiber") == 40);
}

TEST_CASE("fibers that take turns from inside nested calls keep their own callers") {
    Script s;
    s.at(0).enter("main", kMain);
    for (int i = 0; i < 100; ++i) {
        s.enter("m", kMain - 10, "main");
        if (i == 0) {
            s.enter("f1", kFiber1);
        } else {
            s.exit("step1", kFiber1 - 20);
        }
        s.enter("step1", kFiber1 - 10, "f1");
        if (i == 0) {
            s.enter("f2", kFiber2);
        } else {
            s.exit("step2", kFiber2 - 20);
        }
        s.enter("step2", kFiber2 - 10, "f2");
        s.exit("m", kMain - 10);
    }
    s.exit("main", kMain);
    s.end();
    CHECK(s.edges("f1", "step1") == 100);
    CHECK(s.edges("f2", "step2") == 100);
    CHECK(s.edges("main", "m") == 100);
    CHECK(s.edges(".", "f1") == 1);
    CHECK(s.edges(".", "f2") == 1);
    CHECK(s.counts().unmatched_exits == 0);
    CHECK(s.thread().busy_ns == s.self_ns("main") + s.self_ns("m") + s.self_ns("f1") + s.self_ns("f2") + s.self_ns("step1") +
                                    s.self_ns("step2"));
}

TEST_CASE("a suspended fiber's calls do not age") {
    Script s;
    s.at(100).enter("main", kMain);
    s.at(110).enter("fiber", kFiber1);
    s.at(120).enter("yield", kFiber1 - 10, "fiber");
    s.at(130).enter("work", kMain - 10, "main");  // the fiber was left at some moment before
    s.at(630).exit("work", kMain - 10);
    s.at(640).exit("yield", kFiber1 - 10);
    s.at(650).exit("fiber", kFiber1);
    CHECK(s.chain() == "main");
    s.at(660).exit("main", kMain);
    CHECK(s.self_ns("yield") == 10);
    CHECK(s.self_ns("fiber") == 20);
    CHECK(s.self_ns("work") == 500);
    CHECK(s.self_ns("main") == 30);
}

TEST_CASE("a resumed fiber's next call is a child of the call that was suspended") {
    Script s;
    s.enter("main", kMain);
    s.enter("fiber", kFiber1);
    s.enter("body", kFiber1 - 4, "fiber");
    s.enter("tick", kMain - 10, "main");
    s.exit("tick", kMain - 10);
    SUBCASE("from its body, with a big frame") { s.enter("next", kFiber1 - 3000, "body"); }
    SUBCASE("through library code") { s.enter("next", kFiber1 - 100, "", 5); }
    CHECK(s.chain() == "fiber>body>next");
}

TEST_CASE("a fiber on the memory of one that was abandoned starts anew") {
    Script s;
    s.enter("main", kMain);
    for (int i = 0; i < 5; ++i) {
        s.enter("fiber", kFiber1);
        s.enter("yield", kFiber1 - 10, "fiber");
        s.enter("drop", kMain - 10, "main");
        s.exit("drop", kMain - 10);
    }
    s.exit("main", kMain);
    s.end();
    CHECK(s.edges(".", "fiber") == 5);
    CHECK(s.edges("fiber", "yield") == 5);
    CHECK(s.endings("fiber", Ending::kProvedDead) == 4);
    CHECK(s.endings("fiber", Ending::kOpen) == 1);
}

TEST_CASE("a function inlined into the first one of its stack is no new start when its fiber or thread is resumed") {
    Script s;
    s.enter("main", kMain, "", 1);
    for (int i = 0; i < 3; ++i) {
        s.enter("resume", kMain, "", 1);  // inlined into main: main's own call site and stack pointer
        if (i == 0) {
            s.enter("fiber", kFiber1, "", 2);
        } else {
            s.enter("back", kFiber1, "", 2);  // inlined into fiber
            s.exit("back", kFiber1);
        }
        s.enter("after", kMain, "", 1);
        CHECK(s.chain() == "main>resume>after");
        s.exit("after", kMain);
        s.exit("resume", kMain);
    }
    s.exit("main", kMain);
    CHECK(s.edges("fiber", "back") == 2);
    CHECK(s.edges("resume", "after") == 3);
    CHECK(s.edges(".", "main") == 1);
    CHECK(s.counts().unmatched_exits == 0);
}

TEST_CASE("an exception caught on a fiber ends only the fiber's frames") {
    Script s;
    s.enter("main", kMain);
    s.enter("run", kMain - 10, "main");
    s.enter("fiber", kFiber1);
    s.enter("leaf", kFiber1 - 10, "fiber");
    s.throws(kFiber1 - 10);
    s.catches(kFiber1);
    CHECK(s.chain() == "fiber");
    s.exit("fiber", kFiber1);
    CHECK(s.chain() == "main>run");
}

TEST_CASE("a function called through __morestack runs on new memory and belongs to its caller") {
    Script s;
    s.enter("main", kMain);
    s.enter("rec", kMain - 10, "main");
    s.enter_through_morestack("rec", kFiber1);
    s.enter("rec", kFiber1 - 10, "rec");
    s.enter_through_morestack("rec", kFiber2);
    CHECK(s.chain() == "main>rec>rec>rec>rec");
    s.exit("rec", kFiber2);
    s.exit("rec", kFiber1 - 10);
    s.exit("rec", kFiber1);
    CHECK(s.chain() == "main>rec");
    s.exit("rec", kMain - 10);
    s.exit("main", kMain);
    CHECK(s.counts().unmatched_exits == 0);
    CHECK(s.edges("rec", "rec") == 3);
}

TEST_CASE("an exception out of a split stack's new piece ends what is on it") {
    Script s;
    s.enter("main", kMain);
    s.enter("f", kMain - 10, "main");
    s.enter_through_morestack("g", kFiber1);
    s.enter("h", kFiber1 - 10, "g");
    s.throws(kFiber1 - 10);
    s.catches(kMain);
    CHECK(s.chain() == "main");
    s.end();
    CHECK(s.endings("g", Ending::kUnwound) == 1);
    CHECK(s.endings("h", Ending::kUnwound) == 1);
    CHECK(s.endings("f", Ending::kUnwound) == 1);
}

TEST_CASE("a call from the body of the top function on other memory continues the stack") {
    Script s;
    s.enter("main", kMain);
    s.enter("switcher", kMain - 10, "main");
    s.enter("callee", kFiber1, "switcher");
    CHECK(s.chain() == "main>switcher>callee");
    s.exit("callee", kFiber1);
    CHECK(s.chain() == "main>switcher");
}

TEST_CASE("a fiber begun on one thread and continued on another is one stack") {
    Script s;
    s.on(1).at(100).enter("wa", kMain);
    s.at(110).enter("outer", kFiber1);
    s.at(120).enter("inner", kFiber1 - 10, "outer");
    s.at(130).exit("wa", kMain);
    s.on(2).at(200).enter("wb", kMain + 600000);
    s.at(210).exit("inner", kFiber1 - 10);
    s.at(220).enter("late", kFiber1 - 10, "outer");
    CHECK(s.chain(2) == "outer>late");
    s.at(230).exit("late", kFiber1 - 10);
    s.at(240).exit("wb", kMain + 600000);
    s.end();
    CHECK(s.edges("outer", "late") == 1);
    CHECK(s.counts().unmatched_exits == 0);
    CHECK(s.self_ns("inner") == 10);  // until its thread went on to something else
    CHECK(s.self_ns("wa") == 10);
    CHECK(s.self_ns("wb") == 10);
    CHECK(s.self_ns("outer") == 10 + 10 + 10);
}

TEST_CASE("a record of a fiber that an earlier record of another thread may concern waits for that thread") {
    Script s;
    s.thread(2).horizon_ns = 50;
    s.on(2).at(200);
    REQUIRE(s.enter("wb", kMain + 600000));
    s.at(210);
    CHECK_FALSE(s.exit("inner", kFiber1 - 10));
    s.on(1).at(100);
    REQUIRE(s.enter("wa", kMain));
    REQUIRE(s.enter("outer", kFiber1));
    REQUIRE(s.enter("inner", kFiber1 - 10, "outer"));
    REQUIRE(s.exit("wa", kMain));
    s.on(2).at(210);
    CHECK_FALSE(s.exit("inner", kFiber1 - 10));
    s.thread(2).horizon_ns = 210;
    CHECK(s.exit("inner", kFiber1 - 10));
    CHECK(s.chain(2) == "outer");
    CHECK(s.counts().unmatched_exits == 0);
}

TEST_CASE("a thread may begin on a fiber that another thread had") {
    Script s;
    s.on(1).enter("outer", kFiber1 + 70000);
    s.enter("fiber", kFiber1);
    s.enter("inner", kFiber1 - 10, "fiber");
    s.exit("outer", kFiber1 + 70000);
    s.on(2).exit("inner", kFiber1 - 10);
    CHECK(s.chain(2) == "fiber");
    s.exit("fiber", kFiber1);
    CHECK(s.counts().unmatched_exits == 0);
}

TEST_CASE("a first call on memory that another thread may have used before waits for that thread") {
    Script s;
    s.thread(1).horizon_ns = 50;
    s.on(1).at(100);
    REQUIRE(s.enter("a", kMain));
    CHECK_FALSE(s.enter("fiber", kFiber1));
    s.on(2).at(60);
    REQUIRE(s.enter("b", kMain + 600000));
    REQUIRE(s.enter("fiber", kFiber1));
    REQUIRE(s.enter("yield", kFiber1 - 10, "fiber"));
    REQUIRE(s.exit("b", kMain + 600000));
    s.on(1).at(101);
    s.thread(1).horizon_ns = 101;
    REQUIRE(s.enter("fiber", kFiber1));
    CHECK(s.chain(1) == "fiber");
    s.exit("fiber", kFiber1);
    s.exit("a", kMain);
    s.end();
    CHECK(s.counts().misordered == 0);
    CHECK(s.counts().unmatched_exits == 0);
    CHECK(s.endings("yield", Ending::kProvedDead) == 1);
}

}  // namespace fnprof::model::test

// One stack of memory: exceptions, longjmp, missing exits, gaps, ends.
#include <doctest/doctest.h>

#include "stack_script.h"

namespace fnprof::model::test {

TEST_CASE("calls nest and every nanosecond goes to the call on top") {
    Script s;
    s.at(100).enter("main", 1000);
    s.at(110).enter("a", 990, "main");
    s.at(113).exit("a", 990);
    s.at(120).exit("main", 1000);
    s.end();
    CHECK(s.edges(".", "main") == 1);
    CHECK(s.edges("main", "a") == 1);
    CHECK(s.self_ns("main") == 17);
    CHECK(s.self_ns("a") == 3);
    CHECK(s.thread().busy_ns == 20);
    CHECK(s.thread().ncalls == 2);
    CHECK(s.endings("main", Ending::kReturned) == 1);
    CHECK(s.counts().unmatched_exits == 0);
}

TEST_CASE("an exception that clang unwinds without exits leaves its catcher on top") {
    Script s;
    s.enter("main", 1000);
    s.enter("top", 990, "main");
    s.enter("mid", 985, "top");
    s.at(2000).enter("leaf", 980, "mid");
    s.at(2010).throws(980);
    s.at(2100).catches(990);
    CHECK(s.chain() == "main>top");
    s.enter("handler", 984, "top");
    s.exit("handler", 984);
    s.enter("next", 970, "top");
    s.exit("next", 970);
    s.exit("top", 990);
    s.exit("main", 1000);
    s.end();
    CHECK(s.edges("top", "handler") == 1);
    CHECK(s.edges("top", "next") == 1);
    CHECK(s.endings("mid", Ending::kUnwound) == 1);
    CHECK(s.endings("leaf", Ending::kUnwound) == 1);
    CHECK(s.self_ns("leaf") == 100);  // the unwinder's time is the thrower's
    CHECK(s.counts().unmatched_exits == 0);
}

TEST_CASE("an exception that gcc unwinds with exits leaves its catcher on top") {
    Script s;
    s.enter("main", 1000);
    s.enter("top", 990, "main");
    s.enter("mid", 985, "top");
    s.enter("leaf", 980, "mid");
    s.throws(980);
    s.exit("leaf", 980);
    s.exit("mid", 985);
    s.catches(990);
    CHECK(s.chain() == "main>top");
    s.enter("next", 970, "top");
    CHECK(s.chain() == "main>top>next");
    CHECK(s.endings("leaf", Ending::kReturned) == 1);
}

TEST_CASE("a function that catches its own exception stays") {
    Script s;
    s.enter("main", 1000);
    for (int i = 0; i < 3; ++i) {
        s.enter("thrower", 990, "main");
        s.throws(990);
        s.throws(990);  // the unwinder's own entry, wrapped as well
        s.catches(990);
        s.enter("after", 980, "thrower");
        s.exit("after", 980);
        s.exit("thrower", 990);
    }
    CHECK(s.chain() == "main");
    CHECK(s.edges("thrower", "after") == 3);
    CHECK(s.edges("main", "thrower") == 3);
    CHECK_FALSE(s.thread().check_enters);
}

TEST_CASE("a destructor that runs while the exception passes belongs to the frame that it cleans up") {
    Script s;
    s.enter("main", 1000);
    s.enter("f", 990, "main");
    s.enter("Guard", 985, "f");
    s.exit("Guard", 985);
    s.enter("g", 984, "f");
    s.throws(984);
    SUBCASE("with a smaller frame than the thrower's") { s.enter("~Guard", 985, "f", 7); }
    SUBCASE("with the same stack pointer") { s.enter("~Guard", 984, "f", 7); }
    SUBCASE("with a bigger frame, known by its call site") { s.enter("~Guard", 960, "f", 7); }
    CHECK(s.chain() == "main>f>~Guard");
    s.enter("note", 950, "~Guard");
    CHECK(s.chain() == "main>f>~Guard>note");
    s.exit("note", 950);
    s.exit("~Guard", 980);
    s.catches(1000);
    CHECK(s.chain() == "main");
    CHECK(s.endings("g", Ending::kProvedDead) == 1);
    CHECK(s.endings("f", Ending::kUnwound) == 1);
}

TEST_CASE("an exception inside a destructor does not end the one that is passing") {
    Script s;
    s.enter("main", 1000);
    s.enter("f", 990, "main");
    s.enter("g", 984, "f");
    s.throws(984);
    s.enter("~A", 980, "f", 1);
    s.enter("inner", 970, "~A");
    s.throws(970);
    s.catches(980);
    CHECK(s.chain() == "main>f>~A");
    s.exit("~A", 980);
    CHECK(s.thread().check_enters);
    s.enter("~B", 960, "f", 2);
    CHECK(s.chain() == "main>f>~B");
    s.exit("~B", 960);
    s.catches(1000);
    CHECK(s.chain() == "main");
    CHECK_FALSE(s.thread().check_enters);
}

TEST_CASE("the catcher among recursive calls is found by its stack pointer") {
    Script s;
    s.enter("main", 1000);
    for (uint32_t n = 0; n <= 5; ++n) s.enter("rec", 990 - 10 * n, n == 0 ? "main" : "rec");
    s.throws(940);
    s.catches(970);  // the third
    CHECK(s.chain() == "main>rec>rec>rec");
    s.enter("mark", 960, "rec");
    s.exit("mark", 960);
    s.enter("rec", 960, "rec", 5);
    s.enter("rec", 950, "rec");
    s.exit("rec", 950);
    s.exit("rec", 960);
    s.exit("rec", 970);
    s.exit("rec", 980);
    s.exit("rec", 990);
    s.exit("main", 1000);
    s.end();
    CHECK(s.edges("rec", "rec") == 7);
    CHECK(s.edges("rec", "mark") == 1);
    CHECK(s.counts().unmatched_exits == 0);
    CHECK(s.endings("rec", Ending::kUnwound) == 3);
    CHECK(s.endings("rec", Ending::kReturned) == 5);
}

TEST_CASE("a C frame that an exception passes through ends at the catch") {
    Script s;
    s.enter("main", 1000);
    s.enter("cmid", 990, "main");
    s.enter("thrower", 980, "cmid");
    s.throws(980);
    s.exit("thrower", 980);
    s.catches(1000);
    s.enter("after", 950, "main");
    CHECK(s.chain() == "main>after");
}

TEST_CASE("nobody catches: terminate's handler is called by the thrower and all stay open") {
    Script s;
    s.enter("main", 1000);
    s.enter("mid", 990, "main");
    s.enter("leaf", 980, "mid");
    s.throws(980);
    s.enter("onterm", 940);
    CHECK(s.chain() == "main>mid>leaf>onterm");
    s.end();
    CHECK(s.endings("leaf", Ending::kOpen) == 1);
    CHECK(s.endings("main", Ending::kOpen) == 1);
}

TEST_CASE("longjmp ends the frames below its target") {
    Script s;
    s.enter("main", 1000);
    s.enter("a", 990, "main");
    s.enter("b", 980, "a");
    s.enter("c", 970, "b");
    s.longjmp(1000);
    s.enter("z", 960, "main");
    CHECK(s.chain() == "main>z");
    s.exit("z", 960);
    s.exit("main", 1000);
    s.end();
    CHECK(s.endings("c", Ending::kUnwound) == 1);
    CHECK(s.counts().unmatched_exits == 0);
}

TEST_CASE("longjmp into one of many recursive calls keeps that one and its callers") {
    Script s;
    s.enter("main", 1000);
    for (uint32_t n = 0; n <= 6; ++n) s.enter("rec", 990 - 10 * n, n == 0 ? "main" : "rec");
    s.longjmp(970);
    s.enter("tail_work", 960, "rec");
    CHECK(s.chain() == "main>rec>rec>rec>tail_work");
    s.exit("tail_work", 960);
    for (int i = 0; i < 2; ++i) {
        s.exit("rec", 970 + 10 * static_cast<uint32_t>(i));
        s.enter("done", 950, "rec");
        s.exit("done", 950);
    }
    s.exit("rec", 990);
    s.exit("main", 1000);
    CHECK(s.edges("rec", "done") == 2);
    CHECK(s.edges("rec", "rec") == 6);
    CHECK(s.counts().unmatched_exits == 0);
}

TEST_CASE("an exit hook that is tail-called sees its caller's stack pointer and matches all the same") {
    Script s;
    s.enter("main", 1000);
    s.enter("f", 990, "main");
    s.exit("f", 999);
    s.exit("main", 1030);
    CHECK(s.chain() == "");
    CHECK(s.endings("f", Ending::kReturned) == 1);
    CHECK(s.endings("main", Ending::kReturned) == 1);
    CHECK(s.counts().unmatched_exits == 0);
}

TEST_CASE("an exit after alloca sees a lower stack pointer and matches all the same") {
    Script s;
    s.enter("main", 100000);
    s.enter("f", 99990, "main");
    s.exit("f", 70000);
    s.exit("main", 100000);
    CHECK(s.endings("f", Ending::kReturned) == 1);
    CHECK(s.endings("main", Ending::kReturned) == 1);
}

TEST_CASE("recursion that gcc inlined into itself nests although function, call site and stack pointer are equal") {
    for (const bool marks_on : {true, false}) {
        Script s(marks_on);
        s.enter("main", 1000);
        for (int i = 0; i < 4; ++i) s.enter("fact", 990, "main", 3);
        CHECK(s.chain() == "main>fact>fact>fact>fact");
        for (int i = 0; i < 4; ++i) s.exit("fact", 990);
        s.exit("main", 1000);
        CHECK(s.edges("fact", "fact") == 3);
        CHECK(s.counts().unmatched_exits == 0);
    }
}

TEST_CASE("without marks, a call from a live function's body ends the frames that an exception left behind") {
    Script s(false);
    s.enter("main", 1000);
    s.enter("top", 990, "main");
    s.enter("mid", 985, "top", 1);
    s.enter("leaf", 980, "mid");
    SUBCASE("known by a higher stack pointer") {
        s.enter("next", 983, "top", 2);
        CHECK(s.chain() == "main>top>next");
    }
    SUBCASE("known by an equal stack pointer and another call site") {
        s.enter("next", 985, "top", 2);
        CHECK(s.chain() == "main>top>next");
    }
    SUBCASE("known by its call site alone") {
        s.enter("next", 900, "top", 2);
        CHECK(s.chain() == "main>top>next");
    }
    SUBCASE("and a frame inlined into that function stays its caller") {
        s.exit("leaf", 980);
        s.exit("mid", 985);
        s.enter("inlined", 990, "main", 0);  // top's own call site: same machine frame
        s.enter("next", 900, "top", 2);
        CHECK(s.chain() == "main>top>inlined>next");
    }
}

TEST_CASE("without marks, calls through library code stay on top of their caller") {
    Script s(false);
    s.enter("main", 1000);
    s.enter("sort", 990, "main");
    for (int i = 0; i < 3; ++i) {
        s.enter("compare", 940);
        CHECK(s.chain() == "main>sort>compare");
        s.exit("compare", 940);
    }
}

TEST_CASE("an exit pops down to the nearest frame of its function") {
    Script s;
    s.enter("main", 1000);
    s.enter("a", 990, "main");
    s.enter("b", 980, "a");
    s.enter("c", 970, "b");
    s.exit("a", 990);
    CHECK(s.chain() == "main");
    CHECK(s.endings("c", Ending::kProvedDead) == 1);
    CHECK(s.endings("b", Ending::kProvedDead) == 1);
    CHECK(s.endings("a", Ending::kReturned) == 1);
}

TEST_CASE("exits without an enter are counted and change nothing") {
    Script s;
    s.exit("early", 900);
    s.enter("main", 1000);
    s.exit("stranger", 1000);
    CHECK(s.chain() == "main");
    s.exit("main", 1000);
    s.exit("main", 1000);
    s.end();
    CHECK(s.counts().unmatched_exits == 3);
    CHECK(s.calls("main") == 1);
    CHECK(s.calls("stranger") == 0);
}

TEST_CASE("a million frames and a million exits that match none of them are ordinary input") {
    Script s;
    constexpr uint32_t kDepth = 1000000;
    for (uint32_t i = 0; i < kDepth; ++i) {
        s.enter("rec", 2u * kDepth - i, "rec");
        s.exit(i % 2 == 0 ? "stranger" : "other", 2u * kDepth - i);
    }
    for (uint32_t i = 0; i < kDepth; ++i) s.exit(i % 3 == 0 ? "stranger" : i % 3 == 1 ? "other" : "third", kDepth + 1);
    CHECK(s.counts().unmatched_exits == 2 * kDepth);
    for (uint32_t i = 0; i < kDepth; ++i) s.exit("rec", kDepth + 1 + i);
    s.end();
    CHECK(s.calls("rec") == kDepth);
    CHECK(s.endings("rec", Ending::kReturned) == kDepth);
}

TEST_CASE("frames open at the end keep the time until the end") {
    Script s;
    s.at(100).enter("main", 1000);
    s.at(110).enter("hang", 990, "main");
    s.at(500);
    s.end();
    CHECK(s.self_ns("hang") == 390);
    CHECK(s.endings("hang", Ending::kOpen) == 1);
    CHECK(s.endings("main", Ending::kOpen) == 1);
}

TEST_CASE("a thread that pthread_exit ended has no open frames") {
    Script s;
    s.enter("w", 1000);
    s.enter("a", 990, "w");
    s.throws(990);
    s.end(true);
    CHECK(s.endings("w", Ending::kUnwound) == 1);
    CHECK(s.endings("a", Ending::kUnwound) == 1);
}

TEST_CASE("what runs after pthread_exit has unwound the stack has no caller, a cleanup handler has") {
    Script s;
    s.enter("w", 1000);
    s.enter("a", 990, "w");
    s.ends_thread(985);
    SUBCASE("a destructor of the thread's keys, above the functions that are gone") { s.enter("destructor", 995); }
    SUBCASE("or as deep as they were") { s.enter("destructor", 980); }
    CHECK(s.chain() == "destructor");
    s.enter("callback", 970);
    CHECK(s.chain() == "destructor>callback");
    s.exit("callback", 970);
    s.exit("destructor", 980);
    s.end(true);
    CHECK(s.endings("w", Ending::kUnwound) == 1);
    CHECK(s.endings("a", Ending::kUnwound) == 1);
}

TEST_CASE("a cleanup handler below the unwinder's frames is called by the one that ended the thread") {
    Script s;
    s.enter("w", 1000);
    s.ends_thread(995);
    s.enter("cleanup", 900);
    CHECK(s.chain() == "w>cleanup");
}

TEST_CASE("a destructor that a cancelled thread runs in a caller's body ends what was called from there, with nothing to mark it") {
    Script s;
    s.enter("w", 1000);
    s.enter("guarded", 990, "w");
    s.enter("loops", 980, "guarded");
    s.enter("waits", 970, "loops");
    s.enter("~Guard", 978, "guarded", 1);
    CHECK(s.chain() == "w>guarded>~Guard");
    CHECK(s.endings("loops", Ending::kProvedDead) == 1);
    CHECK(s.endings("waits", Ending::kProvedDead) == 1);
}

TEST_CASE("a gap is nobody's time") {
    Script s;
    s.at(100).enter("main", 1000);
    s.at(110).enter("a", 990, "main");
    s.at(170).gap(50, 0, 980);
    s.at(180).exit("a", 990);
    s.at(190).exit("main", 1000);
    CHECK(s.self_ns("a") == 20);
    CHECK(s.self_ns("main") == 20);
    CHECK(s.thread().gap_ns == 50);
    CHECK(s.thread().busy_ns == 40);
}

TEST_CASE("an exit stamped before the gap that delayed it ends when the gap ends") {
    Script s;
    s.at(100).enter("main", 1000);
    s.at(160).gap(50, 0, 980);
    s.at(109).exit("main", 1000);
    CHECK(s.self_ns("main") == 10);
    CHECK(s.thread().gap_ns == 50);
    CHECK(s.thread().last_ns == 160);
}

TEST_CASE("after dropped records an enter that contradicts the stack ends frames where the gap began") {
    Script s;
    s.at(100).enter("main", 1000);
    s.at(110).enter("a", 990, "main", 1);
    s.at(120).enter("b", 980, "a", 1);
    s.at(230).gap(100, 7, 980);
    s.at(240).enter("c", 990, "main", 2);
    CHECK(s.chain() == "main>c");
    CHECK(s.self_ns("b") == 10);
    CHECK(s.self_ns("a") == 10);
    CHECK(s.endings("b", Ending::kProvedDead) == 1);
    s.enter("d", 995, "c", 1);  // certain again: no rule is applied
    CHECK(s.chain() == "main>c>d");
    s.end();
    CHECK(s.self_ns("main") == 20);  // 10 before a, 10 between the gap and c
}

TEST_CASE("after dropped records the time up to an exit is that of the function that exits") {
    Script s;
    s.at(100).enter("main", 1000);
    s.at(110).enter("a", 990, "main", 1);
    s.at(220).gap(100, 7, 980);
    s.at(230).exit("main", 1000);
    CHECK(s.self_ns("a") == 10);
    CHECK(s.self_ns("main") == 20);
}

TEST_CASE("a record earlier than its predecessor counts as simultaneous") {
    Script s;
    s.at(100).enter("main", 1000);
    s.at(120).enter("a", 990, "main");
    s.at(115).exit("a", 990);
    s.at(130).exit("main", 1000);
    CHECK(s.self_ns("a") == 0);
    CHECK(s.self_ns("main") == 30);
}

}  // namespace fnprof::model::test

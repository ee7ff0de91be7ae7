// Functions that share a machine frame, and an exception caught in it or a jump into it. clang's shape unless a test says gcc's: no
// exits for what the exception leaves.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "stack_script.h"

namespace fnprof::model::test {

namespace {

using format::Kind;

enum : FunctionId { kTop, kInner, kThrower, kNext };
constexpr uint64_t kHandler = 0x4242;

class Run {
  public:
    Run& enter(FunctionId function, uint32_t stack, uint64_t site) {
        return add(Kind::kEnter, {.call_site = site, .function = function}, stack);
    }
    Run& exit(FunctionId function, uint32_t stack) { return add(Kind::kExit, {.function = function}, stack); }
    Run& throws(uint32_t stack) { return add(Kind::kThrow, {}, stack); }
    Run& jumps(uint32_t stack, uint64_t place) { return add(Kind::kLongjmp, {.call_site = place}, stack); }
    Run& catches(uint32_t stack, uint64_t handler = kHandler) { return add(Kind::kCatch, {.call_site = handler}, stack); }

    // inner is inlined into top and calls thrower; somebody catches in their frame and calls next.
    Run& thrown_through_inner() {
        return enter(kTop, 100, 1).enter(kInner, 100, 1).enter(kThrower, 90, 2).throws(90).catches(100).enter(kNext, 80, 3).exit(kNext, 80);
    }

    uint64_t edges(FunctionId caller, FunctionId callee) {
        CallLog log;
        CallStack<CallLog> stack(log, 0, true);
        ThreadStack thread;
        REQUIRE(stack.run(thread, symbols_, events_) == events_.size());
        uint64_t count = 0;
        for (const CallLog::Call& call : log.calls) count += call.function == callee && log.calls[call.parent].function == caller;
        unmatched_exits = stack.counts().unmatched_exits;
        return count;
    }
    uint64_t unmatched_exits = 0;

  private:
    Run& add(Kind kind, CallSymbol symbol, uint32_t stack) {
        symbols_.push_back(symbol);
        events_.push_back({format::make_time_word(1000 + events_.size(), kind), static_cast<uint32_t>(symbols_.size() - 1), stack});
        return *this;
    }
    std::vector<CallSymbol> symbols_;
    std::vector<format::Event> events_;
};

}  // namespace

TEST_CASE("the function whose exit comes next is the one that caught") {
    SUBCASE("the inlined one") {
        Run run;
        run.thrown_through_inner().exit(kInner, 100).exit(kTop, 100);
        CHECK(run.edges(kInner, kNext) == 1);
        CHECK(run.unmatched_exits == 0);
    }
    SUBCASE("the one that it is inlined into") {
        Run run;
        run.thrown_through_inner().exit(kTop, 105);
        CHECK(run.edges(kTop, kNext) == 1);
        CHECK(run.unmatched_exits == 0);
    }
    SUBCASE("calls of the same function in between are not mistaken for it") {
        Run run;
        run.thrown_through_inner().enter(kInner, 100, 1).exit(kInner, 100).enter(kInner, 90, 4).exit(kInner, 100).exit(kTop, 100);
        CHECK(run.edges(kTop, kNext) == 1);
        CHECK(run.edges(kTop, kInner) == 3);
    }
}

TEST_CASE("in a loop each exception through an inlined function ends it") {
    Run run;
    run.enter(kTop, 100, 1);
    for (int i = 0; i < 5; ++i) {
        run.enter(kInner, 100, 1).enter(kThrower, 90, 2).throws(90).catches(100).enter(kNext, 80, 3).exit(kNext, 80);
    }
    run.exit(kTop, 100);
    CHECK(run.edges(kTop, kInner) == 5);
    CHECK(run.edges(kInner, kInner) == 0);
    CHECK(run.edges(kTop, kNext) == 5);
}

TEST_CASE("where no exit tells, a handler belongs to the function that it belonged to before") {
    Run run;
    run.enter(9, 200, 8);
    run.thrown_through_inner().exit(kTop, 100);  // top's handler
    run.thrown_through_inner().throws(100).catches(200, 77);  // left by another exception
    run.exit(9, 200);
    CHECK(run.edges(kTop, kNext) == 2);
    CHECK(run.edges(kInner, kNext) == 0);
}

TEST_CASE("where nothing tells, the calls stay as they are") {
    Run run;
    run.thrown_through_inner();
    CHECK(run.edges(kInner, kNext) == 1);
}

TEST_CASE("a catcher without hooks, into which the calls are inlined, ends them all") {
    Run run;
    run.enter(9, 200, 8).enter(kInner, 100, 1).enter(kThrower, 90, 2).throws(90).catches(100).enter(kNext, 80, 3).exit(kNext, 80);
    SUBCASE("their caller's exit comes first") {
        run.exit(9, 200);
        CHECK(run.edges(9, kNext) == 1);
        CHECK(run.unmatched_exits == 0);
    }
    SUBCASE("their own exit comes first: it was one of them") {
        run.exit(kInner, 100).exit(9, 200);
        CHECK(run.edges(kInner, kNext) == 1);
    }
    SUBCASE("another call takes the place of the one that is gone, before all end otherwise") {
        run.enter(kInner, 100, 1).exit(kInner, 100).throws(100).catches(300, 77);
        CHECK(run.edges(9, kNext) == 1);
        CHECK(run.edges(9, kInner) == 2);
    }
}

TEST_CASE("what gcc's code has in the frame of a catch is alive: it would have an exit") {
    Run run;
    run.enter(kTop, 100, 1).enter(kThrower, 90, 2).throws(90).exit(kThrower, 90).catches(100);  // shows how exceptions leave calls here
    run.enter(kInner, 100, 1).enter(kThrower, 90, 2).throws(90).exit(kThrower, 90).catches(100).enter(kNext, 80, 3).exit(kNext, 80);
    run.enter(kInner, 100, 1).exit(kInner, 100);  // inlined into itself
    run.throws(100).exit(kInner, 100).exit(kTop, 100).catches(200, 77);
    CHECK(run.edges(kInner, kNext) == 1);
    CHECK(run.edges(kInner, kInner) == 1);
}

TEST_CASE("a jump into a frame whose setjmp was called without hooks ends what is inlined there") {
    Run run;
    run.enter(9, 200, 8).enter(kInner, 100, 1).enter(kThrower, 90, 2).jumps(100, 55).enter(kNext, 80, 3).exit(kNext, 80).exit(9, 200);
    // The same setjmp, and nothing tells.
    run.enter(9, 200, 8).enter(kInner, 100, 1).enter(kThrower, 90, 2).jumps(100, 55).enter(kNext, 80, 3).exit(kNext, 80);
    CHECK(run.edges(9, kNext) == 2);
    CHECK(run.edges(kInner, kNext) == 0);
}

TEST_CASE("what a jump ended later says nothing about who caught before") {
    Run run;
    // top called setjmp; inner, inlined into it, caught, and then was jumped over.
    run.thrown_through_inner().enter(kThrower, 90, 2).jumps(100, 55).exit(kTop, 100);
    CHECK(run.edges(kInner, kNext) == 1);
}

TEST_CASE("longjmp into a machine frame ends what is inlined there: setjmp's caller never is") {
    Script s;
    s.enter("main", 1000, "", 1);
    s.enter("setter", 990, "main", 2);
    s.enter("helper", 990, "main", 2);  // inlined into setter
    s.enter("jumper", 980, "setter", 3);
    s.longjmp(990);
    CHECK(s.chain() == "main>setter");
}

TEST_CASE("a call from a machine frame that the top function is inlined into leaves that one alive") {
    Script s;
    s.enter("outer", 1000, "main", 3);
    s.enter("inlined", 1000, "main", 3);
    s.enter("leaf", 990, "outer", 7);
    CHECK(s.chain() == "outer>inlined>leaf");
}

}  // namespace fnprof::model::test

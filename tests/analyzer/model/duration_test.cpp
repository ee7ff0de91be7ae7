// How long a call took when its stack was not always the current one, or time was nobody's.
#include <doctest/doctest.h>

#include "stack_script.h"

namespace fnprof::model::test {

namespace {

constexpr uint32_t kMain = 3000000000;
constexpr uint32_t kFiber = 50000;
constexpr uint32_t kSignal = 90000;
constexpr uint32_t kThread2 = 2000000000;

}  // namespace

TEST_CASE("a gap is no part of any open call's duration") {
    Script s;
    s.at(100).enter("main", kMain);
    s.at(110).enter("a", kMain - 10, "main");
    s.at(150).gap(30, 0, kMain - 10);
    s.at(160).exit("a", kMain - 10);
    s.at(170).enter("b", kMain - 10, "main");
    s.at(180).exit("b", kMain - 10);
    s.at(200).exit("main", kMain);
    CHECK(s.duration_ns("a") == 20);
    CHECK(s.duration_ns("b") == 10);
    CHECK(s.duration_ns("main") == 70);
    CHECK(s.descendants("main") == 2);
    CHECK(s.not_adding_up() == 0);
}

TEST_CASE("a handler on its own stack takes its time from what it interrupted") {
    Script s;
    s.at(100).enter("main", kMain);
    s.at(110).enter("deep", kMain - 10, "main");
    s.at(120).enter("handler", kSignal);
    s.at(130).gap(5, 0, kSignal);
    s.at(150).exit("handler", kSignal);
    s.at(160).exit("deep", kMain - 10);
    s.at(190).exit("main", kMain);
    CHECK(s.duration_ns("handler") == 25);
    CHECK(s.duration_ns("deep") == 20);
    CHECK(s.duration_ns("main") == 60);
    CHECK(s.descendants("main") == 1);
    CHECK(s.not_adding_up() == 0);
}

TEST_CASE("a suspended fiber's call lasts as long as it was active, on whatever thread") {
    Script s;
    s.at(100).enter("main", kMain);
    s.at(110).enter("outer", kFiber);
    s.at(120).enter("inner", kFiber - 10, "outer");
    s.at(130).enter("work", kMain - 10, "main");  // the fiber is suspended
    s.at(160).exit("work", kMain - 10);
    s.on(2).at(170).enter("second", kThread2);
    s.at(180).exit("inner", kFiber - 10);
    s.at(200).exit("outer", kFiber);
    s.at(210).exit("second", kThread2);
    s.on(0).at(220).exit("main", kMain);
    s.end();
    // When the second thread went to the fiber is known by the fiber's next record only: up to then the time is `second`'s.
    CHECK(s.duration_ns("inner") == 10 + 0);
    CHECK(s.duration_ns("outer") == 20 + 20);
    CHECK(s.duration_ns("second") == 10 + 10);
    CHECK(s.duration_ns("main") == 10 + 90);
    CHECK(s.not_adding_up() == 0);
}

TEST_CASE("what runs on a split stack's new piece is part of the call that it continues") {
    Script s;
    s.at(100).enter("main", kMain);
    s.at(110).enter_through_morestack("big", kFiber);
    s.at(120).enter("inner", kFiber - 10, "big");
    s.at(150).exit("inner", kFiber - 10);
    s.at(160).exit("big", kFiber);
    s.at(200).exit("main", kMain);
    CHECK(s.duration_ns("big") == 50);
    CHECK(s.self_ns("big") == 20);
    CHECK(s.duration_ns("main") == 100);
    CHECK(s.self_ns("main") == 50);
    CHECK(s.descendants("main") == 2);
    CHECK(s.not_adding_up() == 0);
}

TEST_CASE("calls that an exception or a jump left last until it arrived") {
    Script s;
    s.at(100).enter("main", kMain);
    s.at(110).enter("a", kMain - 10, "main");
    s.at(120).enter("b", kMain - 20, "a");
    s.at(130).throws(kMain - 20);
    s.at(170).catches(kMain);
    s.at(180).enter("c", kMain - 10, "main");
    s.at(185).longjmp(kMain);
    s.at(200).exit("main", kMain);
    CHECK(s.duration_ns("b") == 50);
    CHECK(s.duration_ns("a") == 60);
    CHECK(s.duration_ns("c") == 5);
    CHECK(s.duration_ns("main") == 100);
    CHECK(s.descendants("main") == 3);
    CHECK(s.not_adding_up() == 0);
}

TEST_CASE("a call on a stack that is suspended to the end was last active when it was left") {
    Script s;
    s.at(100).enter("main", kMain);
    s.at(110).enter("fiber", kFiber);
    s.at(150).enter("work", kMain - 10, "main");
    s.at(1000).exit("main", kMain);
    s.end();
    CHECK(s.duration_ns("fiber") == 40);
    CHECK(s.endings("fiber", Ending::kOpen) == 1);
    CHECK(s.duration_ns("main") == 10 + 850);
    CHECK(s.not_adding_up() == 0);
}

}  // namespace fnprof::model::test

// C++20 coroutines as clang compiles them: their hooks keep the return address of the first call for good.
#include <doctest/doctest.h>

#include "stack_script.h"

namespace fnprof::model::test {

TEST_CASE("what is inlined into a resumed coroutine is called by whoever resumes it, whatever its call site says") {
    Script s;
    s.enter("main", 1000);
    s.enter("coroutine", 990, "main", 1);
    s.enter_inlined("await_ready", 990, "main", 1);
    CHECK(s.chain() == "main>coroutine>await_ready");
    s.exit("await_ready", 990, "main", 1);
    s.exit("coroutine", 990, "main", 1);
    s.enter("resumes", 991, "main", 2);
    s.enter_inlined("await_resume", 985, "main", 1);
    CHECK(s.chain() == "main>resumes>await_resume");
    s.exit("await_resume", 985, "main", 1);
    s.enter("step", 980);
    CHECK(s.chain() == "main>resumes>step");
    s.exit("step", 980);
    s.exit("resumes", 991, "main", 2);
    CHECK(s.chain() == "main");
    CHECK(s.endings("resumes", Ending::kReturned) == 1);
}

TEST_CASE("what is inlined into a function that is still there ends what was called from it") {
    Script s;
    s.enter("w", 1000);
    s.enter("guarded", 990, "w", 1);
    s.enter("loops", 980, "guarded");
    s.enter_inlined("~Guard", 988, "w", 1);
    CHECK(s.chain() == "w>guarded>~Guard");
    CHECK(s.endings("loops", Ending::kProvedDead) == 1);
}

}  // namespace fnprof::model::test

// What is seen while traces are read, and how the user makes an end.
#include "cli/reading.h"

#include <doctest/doctest.h>

#include <csignal>

using namespace fnprof;
using namespace fnprof::cli;

TEST_CASE("progress in words") {
    const std::string path = "trace.zst";
    CHECK(progress_text({path, 0, 100}, 0) == "trace.zst: 0% of 100 records");
    CHECK(progress_text({path, 25'000'000, 100'000'000}, 500'000'000) == "trace.zst: 25% of 100.0M records, 50.0M/s, 2s left");
    CHECK(progress_text({path, 1500, 1500}, 1'000'000'000) == "trace.zst: 100% of 1.5k records, 1.5k/s, 0s left");
    CHECK(progress_text({path, 0, 0}, 5) == "trace.zst: 100% of 0 records");
    const std::string hostile = "a\nb.zst";
    CHECK(progress_text({hostile, 1, 2}, 0) == "a\\x0ab.zst: 50% of 2 records");
}

TEST_CASE("the first interrupt is noted, and only while somebody wants to know") {
    struct sigaction before {}, during {}, after {};
    sigaction(SIGINT, nullptr, &before);
    {
        const InterruptNote note;
        CHECK_FALSE(InterruptNote::noted());
        raise(SIGINT);
        CHECK(InterruptNote::noted());
        sigaction(SIGINT, nullptr, &during);
        CHECK((during.sa_handler == SIG_DFL));  // the second one ends the process
    }
    sigaction(SIGINT, nullptr, &after);
    CHECK((after.sa_handler == before.sa_handler));
    const InterruptNote again;
    CHECK_FALSE(InterruptNote::noted());
}

TEST_CASE("who ignores interrupts goes on doing so") {
    const auto before = std::signal(SIGINT, SIG_IGN);
    {
        const InterruptNote note;
        raise(SIGINT);
        CHECK_FALSE(InterruptNote::noted());
    }
    std::signal(SIGINT, before);
}

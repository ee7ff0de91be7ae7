// Files that are no binaries; verdicts on real binaries are held against their runs in tests/e2e/check_test.py.
#include "check/check.h"
#include "check/print.h"

#include <doctest/doctest.h>

#include <sstream>

using namespace fnprof::check;

TEST_CASE("this test is not instrumented, and says so in one line and a finding") {
    const Report report = check("/proc/self/exe", {});
    CHECK(report.verdict == Verdict::kNotTraced);
    REQUIRE(report.findings.size() == 1);
    CHECK(report.findings[0].code == "not-instrumented");
    CHECK(report.libraries.empty());
    std::ostringstream out;
    print_text(out, {"/proc/self/exe", {}, report});
    CHECK(out.str().find("/proc/self/exe: will not be traced: it is not instrumented\n  problem: no call of the hooks was found") == 0);
}

TEST_CASE("the loader's search finds this program's C library, before what does not exist") {
    const auto program = std::make_shared<const Binary>(read_binary("/proc/self/exe"));
    CHECK(program->kind == FileKind::kExecutable);
    const std::vector<ScopeEntry> scope = load_scope(program, {"/nowhere:relative", "/etc/ld.so.cache"});
    REQUIRE(scope.size() > 2);
    bool found = false;
    for (const ScopeEntry& entry : scope)
        if (entry.name == "libc.so.6") found = entry.binary && entry.binary->enter.exported;
    CHECK(found);
    // Without the cache the system's folders are enough here.
    CHECK(load_scope(program, {"", "/nowhere"}).size() == scope.size());
}

TEST_CASE("a path is itself in JSON, and one that is no UTF-8 leaves it JSON") {
    const auto json = [](const std::string& path) {
        std::ostringstream out;
        const Outcome outcome{path, "not there", {}};
        print_json(out, {&outcome, 1});
        return out.str();
    };
    CHECK(json("/tmp/f\xc3\xbcr \"dich\"").find(R"("path":"/tmp/f)" "\xc3\xbc" R"(r \"dich\"")") != std::string::npos);
    CHECK(json("/tmp/f\xfcr").find("\"/tmp/f\xef\xbf\xbdr\"") != std::string::npos);
    CHECK(json("/tmp/f\xfc").find("\"/tmp/f\xef\xbf\xbd\"") != std::string::npos);
    CHECK(json("/tmp/f\xc3").find("\"/tmp/f\xef\xbf\xbd\"") != std::string::npos);
}

TEST_CASE("what is no binary is named for what it is") {
    CHECK_THROWS_WITH_AS(read_binary("/nowhere/at/all"), "there is no /nowhere/at/all", Unreadable);
    CHECK_THROWS_WITH_AS(read_binary("/proc"), "/proc is a directory", Unreadable);
    CHECK_THROWS_WITH_AS(read_binary("/dev/null"), "/dev/null is not an ELF file", Unreadable);
}

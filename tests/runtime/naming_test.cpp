#include "naming.h"

#include <doctest/doctest.h>
#include <string>

using namespace fnprof::rt;

namespace {

std::string expand(const char* pattern) {
    char buffer[256];
    TextBuffer text(buffer, sizeof buffer);
    expand_name(pattern, {4711, "prog", "node7", "3"}, text);
    return buffer;
}

std::string distinguish(const char* name, bool without_pid, uint32_t number) {
    char buffer[256];
    TextBuffer text(buffer, sizeof buffer);
    distinguish_name(name, 4711, without_pid, number, text);
    return buffer;
}

}  // namespace

TEST_CASE("every code of a name is expanded and nothing else") {
    CHECK(expand("trace.zst") == "trace.zst");
    CHECK(expand("%p") == "4711");
    CHECK(expand("out/%e.%h.%r.%p.zst") == "out/prog.node7.3.4711.zst");
    CHECK(expand("100%%.zst") == "100%.zst");
    CHECK(expand("%%p") == "%p");
    CHECK(expand("%x%") == "%x%");
    CHECK(expand("%%%p") == "%4711");
    CHECK(expand("") == "");
}

TEST_CASE("a name tells processes apart only by %p") {
    CHECK(names_process("a.%p.zst"));
    CHECK(names_process("%%%p"));
    CHECK_FALSE(names_process("a.%%p.zst"));
    CHECK_FALSE(names_process("%r%h%e"));
    CHECK_FALSE(names_process("%"));
}

TEST_CASE("the process id goes before the extension, a number behind it") {
    CHECK(distinguish("trace.zst", false, 1) == "trace.4711.zst");
    CHECK(distinguish("trace.zst", false, 2) == "trace.4711.2.zst");
    CHECK(distinguish("/a.b/trace.zst", false, 3) == "/a.b/trace.4711.3.zst");
    CHECK(distinguish("/a.b/trace", false, 1) == "/a.b/trace.4711");
    CHECK(distinguish("/a.b/.trace", false, 1) == "/a.b/.trace.4711");
    CHECK(distinguish("a.tar.zst", false, 1) == "a.tar.4711.zst");
    CHECK(distinguish("a.", false, 1) == "a.4711.");
    CHECK(distinguish("t.4711.zst", true, 2) == "t.4711.2.zst");
}

#include "report/function_lookup.h"

#include "report/order.h"

#include <doctest/doctest.h>

using namespace fnprof::report;
using namespace fnprof;

namespace {

Names names() {
    return Names({
        {"text::parse(int)", "_ZN4text5parseEi", "/bin/app", "/src/a.cpp", 7},
        {"text::parse(long)", "_ZN4text5parseEl", "/bin/app", "/src/a.cpp", 9},
        {"Loader::load()", "_ZN6Loader4loadEv", "/bin/app", "/src/b.cpp", 3},
        {"load", "load", "/bin/app", "/src/c.c", 3},
        {"helper(char)", "_ZL6helperc", "/bin/app", "/src/a.cpp", 30},
        {"helper(char)", "_ZL6helperc", "/bin/app", "/src/b.cpp", 30},
    });
}

std::optional<model::FunctionId> find(std::string_view word, const std::vector<std::string>& absent = {}) {
    return find_function(names(), {"/src", false, false}, word, absent);
}

std::string complaint(std::string_view word) {
    try {
        find(word);
    } catch (const UsageError& error) {
        return error.what();
    }
    return "";
}

}  // namespace

TEST_CASE("what fits most exactly is the function that is meant") {
    CHECK(find("text::parse(long)") == 1u);
    CHECK(find("parse(int)") == 0u);
    CHECK(find("_ZN4text5parseEl") == 1u);
    CHECK(find("load") == 3u);
    CHECK(find("Loader::load") == 2u);
    CHECK(find("b.cpp:30(helper(char))") == 5u);
}

TEST_CASE("a name that several functions have is refused, with all of them") {
    CHECK(complaint("parse") ==
          "2 functions are called parse; write one of them as it stands here, between double quotes:\n  a.cpp:7(text::parse(int))\n  a.cpp:9(text::parse(long))");
    CHECK(complaint("helper").find("b.cpp:30(helper(char))") != std::string::npos);
}

TEST_CASE("a name that no function has is refused, with the nearest, unless it may be absent") {
    CHECK(complaint("lod").find("no function lod is in the trace, did you mean load?") == 0);
    CHECK(complaint("oad") != "");
    CHECK_FALSE(find("lod", {"lod"}));
    CHECK(find("load", {"load"}) == 3u);
}

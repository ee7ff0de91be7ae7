#include <doctest/doctest.h>

#include "compare/match.h"

namespace fnprof::compare::test {

namespace {

using Matches = std::vector<std::optional<uint32_t>>;

Identity function(const std::string& module, uint8_t build, uint64_t offset, const std::string& name, const std::string& file = "") {
    return {module, {build}, offset, name, file};
}

Matches match_all(const std::vector<Identity>& known, const std::vector<Identity>& found) { return match(known, found); }

}  // namespace

TEST_CASE("functions of one build are the same where their offsets are, whatever they are called and wherever the file lies") {
    CHECK(match_all({function("/old/app", 1, 16, ""), function("/old/app", 1, 32, "twice"), function("/old/app", 1, 48, "twice")},
                    {function("/new/app", 1, 48, "twice"), function("/new/app", 1, 16, ""), function("/new/app", 1, 32, "twice")}) == Matches{2, 0, 1});
}

TEST_CASE("a function without a name has no equal in another build") {
    CHECK(match_all({function("/app", 1, 16, "")}, {function("/app", 2, 16, "")}) == Matches{std::nullopt});
    Identity no_build{"/app", {}, 16, "", ""};
    CHECK(match_all({no_build}, {no_build}) == Matches{std::nullopt});
}

TEST_CASE("functions of different builds are the same by name and file name of the module") {
    CHECK(match_all({function("/a/app", 1, 16, "f"), function("/a/lib.so", 3, 16, "f")},
                    {function("/b/lib.so", 4, 64, "f"), function("/b/app", 2, 64, "f")}) == Matches{1, 0});
}

TEST_CASE("a name that is there twice proves nothing, unless the source tells them apart") {
    CHECK(match_all({function("/a/app", 1, 16, "helper"), function("/a/app", 1, 32, "helper")}, {function("/b/app", 2, 16, "helper")}) ==
          Matches{std::nullopt});
    CHECK(match_all({function("/a/app", 1, 16, "helper", "/a/x.c"), function("/a/app", 1, 32, "helper", "/a/y.c")},
                    {function("/b/app", 2, 16, "helper", "/b/y.c"), function("/b/app", 2, 32, "helper", "/b/x.c")}) == Matches{1, 0});
}

TEST_CASE("a name that each side has once is the same function in whatever module") {
    CHECK(match_all({function("/a/app", 1, 16, "f")}, {function("/b/libf.so", 2, 64, "f")}) == Matches{0});
    CHECK(match_all({function("/a/app", 1, 16, "f")}, {function("/b/libf.so", 2, 64, "f"), function("/b/libg.so", 3, 64, "f")}) ==
          Matches{std::nullopt, std::nullopt});
}

TEST_CASE("what the optimizer appends to a copy's name does not make another function, a part of one is another") {
    CHECK(match_all({function("/a/app", 1, 16, "f.constprop.0")}, {function("/b/app", 2, 16, "f.isra.12.constprop.3")}) == Matches{0});
    CHECK(match_all({function("/a/app", 1, 16, "f.constprop.0")}, {function("/b/app", 2, 16, "f")}) == Matches{0});
    CHECK(match_all({function("/a/app", 1, 16, "f.part.0")}, {function("/b/app", 2, 16, "f")}) == Matches{std::nullopt});
    CHECK(match_all({function("/a/app", 1, 16, "f.constprop.0"), function("/a/app", 1, 32, "f")}, {function("/b/app", 2, 16, "f")}) == Matches{1});
    CHECK(match_all({function("/a/app", 1, 16, ".isra.0")}, {function("/b/app", 2, 16, "isra.0")}) == Matches{std::nullopt});
}

}  // namespace fnprof::compare::test

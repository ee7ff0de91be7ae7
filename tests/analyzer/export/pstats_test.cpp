// How functions are known in a pstats file. That Python reads the file with the same figures is e2e.export's.
#include "export/pstats.h"

#include <doctest/doctest.h>

#include <utility>

using namespace fnprof;
using namespace fnprof::exporter;

namespace {

// "file:line(function)"
std::vector<std::string> keys(std::vector<FunctionName> names, const std::vector<uint64_t>& offsets = {}) {
    model::Profile profile;
    profile.functions.resize(names.size());
    for (size_t i = 0; i < offsets.size(); ++i) profile.functions[i].offset = offsets[i];
    std::vector<std::string> out;
    for (const PstatsKey& key : pstats_keys({profile, names})) out.push_back(key.file + ":" + std::to_string(key.line) + "(" + key.function + ")");
    return out;
}

using Keys = std::vector<std::string>;

}  // namespace

TEST_CASE("a function is known by file, line and whole name, without debug information by its module") {
    CHECK(keys({{"f(int)", "/bin/app", "/s/f.cpp", 3}, {"f(long)", "/bin/app", "/s/f.cpp", 3}, {"g()", "/lib/libg.so", "", 9}, {"0x1234", "", "", 0}}) ==
          Keys{"/s/f.cpp:3(f(int))", "/s/f.cpp:3(f(long))", "/lib/libg.so:0(g())", "~:0(0x1234)"});
}

TEST_CASE("functions that would be one get their module behind their name, else the address in it, else the id") {
    CHECK(keys({{"f()", "/lib/liba.so", "/s/f.h", 1}, {"f()", "/lib/libb.so", "/s/f.h", 1}, {"g()", "/lib/libb.so", "/s/f.h", 1}}) ==
          Keys{"/s/f.h:1(f() [liba.so])", "/s/f.h:1(f() [libb.so])", "/s/f.h:1(g())"});
    CHECK(keys({{"h", "/bin/app", "", 0}, {"h", "/bin/app", "", 0}}, {0x1130, 0x1150}) ==
          Keys{"/bin/app:0(h [app+0x1130])", "/bin/app:0(h [app+0x1150])"});
    CHECK(keys({{"h", "/a/app", "", 0}, {"h", "/b/app", "", 0}}) == Keys{"/a/app:0(h [#0])", "/b/app:0(h [#1])"});
}

TEST_CASE("functions that would be one without the directories of their files are told apart too") {
    CHECK(keys({{"h()", "/bin/app", "/a/util.cpp", 7}, {"h()", "/bin/app", "/b/util.cpp", 7}}, {0x10, 0x20}) ==
          Keys{"/a/util.cpp:7(h() [app+0x10])", "/b/util.cpp:7(h() [app+0x20])"});
}

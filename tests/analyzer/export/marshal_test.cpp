// The bytes of Python's marshal: each expectation is what `marshal.dumps(value)` of Python 3.11 reads back.
#include "export/marshal.h"

#include <doctest/doctest.h>

#include <sstream>
#include <string>

using fnprof::exporter::MarshalWriter;
using namespace std::string_literals;

namespace {

template <typename Write>
std::string written(Write write) {
    std::ostringstream out;
    MarshalWriter marshal(out);
    write(marshal);
    return out.str();
}

std::string integer(uint64_t value) {
    return written([&](MarshalWriter& out) { out.integer(value); });
}

}  // namespace

TEST_CASE("integers have four bytes while they fit, then digits of 15 bits") {
    CHECK(integer(0) == "i\0\0\0\0"s);
    CHECK(integer(1) == "i\x01\0\0\0"s);
    CHECK(integer(0x7fffffff) == "i\xff\xff\xff\x7f"s);
    CHECK(integer(0x80000000) == "l\x03\0\0\0\0\0\0\0\x02\0"s);
    CHECK(integer(UINT64_MAX) == "l\x05\0\0\0\xff\x7f\xff\x7f\xff\x7f\xff\x7f\x0f\0"s);
}

TEST_CASE("floats are eight bytes, strings UTF-8 with their length") {
    CHECK(written([](MarshalWriter& out) { out.real(1.5); }) == "g\0\0\0\0\0\0\xf8\x3f"s);
    CHECK(written([](MarshalWriter& out) { out.string("f\xc3\xbc"); }) == "u\x03\0\0\0f\xc3\xbc"s);
    CHECK(written([](MarshalWriter& out) { out.string(""); }) == "u\0\0\0\0"s);
}

TEST_CASE("a dictionary ends with a null, and a shared tuple can be referred to by its number") {
    CHECK(written([](MarshalWriter& out) {
              out.begin_dict();
              out.begin_shared_tuple(1);
              out.integer(7);
              out.begin_tuple(1);
              out.reference(0);
              out.end_dict();
          }) == "{\xa9\x01i\x07\0\0\0)\x01r\0\0\0\0"s + "0");
}

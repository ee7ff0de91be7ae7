#include "report/text.h"

#include <doctest/doctest.h>

using namespace fnprof::report;

TEST_CASE("times have four digits and the unit that fits") {
    CHECK(format_time(0) == "0ns");
    CHECK(format_time(1) == "0.001ns");
    CHECK(format_time(7'204) == "7.204ns");
    CHECK(format_time(999'949) == "999.9ns");
    CHECK(format_time(999'951) == "1.000us");
    CHECK(format_time(12'345'000) == "12.35us");
    CHECK(format_time(1'000'000'000) == "1.000ms");
    CHECK(format_time(325'736'000'000'000) == "325.7s");
    CHECK(format_time(9'999'500'000'000) == "10.00s");
    CHECK(format_time(123'456'000'000'000'000) == "123456s");
    CHECK(format_time(-7'204) == "-7.204ns");
}

TEST_CASE("times below the resolution show the resolution") {
    CHECK(format_time(9'999, 10'000) == "<10ns");
    CHECK(format_time(-5'000'000, 10'000) == "<10ns");
    CHECK(format_time(10'000, 10'000) == "10.00ns");
    CHECK(format_time(0, 1'000) == "<1.0ns");
    CHECK(format_time(0, 40) == "<0.04ns");
    CHECK(format_time(0, 960'000) == "<1.0us");
    CHECK(format_time(0, 0) == "0ns");
}

TEST_CASE("percentages have one decimal and no minus zero") {
    CHECK(format_percent(1, 3) == "33.3");
    CHECK(format_percent(-1, 1'000'000) == "0.0");
    CHECK(format_percent(5, 0) == "");
}

TEST_CASE("control characters and invalid UTF-8 never reach the terminal") {
    CHECK(printable("plain") == "plain");
    CHECK(printable("a\x1b[31m\n\x7f") == "a\\x1b[31m\\x0a\\x7f");
    CHECK(printable("gr\xc3\xbc\xc3\x9f") == "gr\xc3\xbc\xc3\x9f");
    CHECK(printable("\xc2\x9b") == "\\x9b");
    CHECK(printable("\xff\xc3") == "\xef\xbf\xbd\xef\xbf\xbd");
    CHECK(printable("\xed\xa0\x80").find('\xed') == std::string::npos);
    CHECK(printable("\xf4\x90\x80\x80").find('\xf4') == std::string::npos);
    CHECK(valid_utf8("a\n\xff") == "a\n\xef\xbf\xbd");
}

TEST_CASE("columns are those of the terminal: wide characters take two, combining ones none") {
    CHECK(columns("gr\xc3\xbc\xc3\x9f") == 4);
    CHECK(columns("\xe5\x87\xbd\xe6\x95\xb0(int)") == 9);  // two Chinese characters
    CHECK(columns("e\xcc\x81") == 1);                      // e and a combining accent
    CHECK(columns("\xff") == 1);
    CHECK(cut_name("f(\xe5\x87\xbd\xe6\x95\xb0\xe5\x87\xbd\xe6\x95\xb0)", 9) == "f(\xe5\x87\xbd...)");
}

TEST_CASE("names are cut in their parameters first, in their function never") {
    const std::string name = "std::map<int, long> text::parse<char>(std::string const&, int) const";
    CHECK(cut_name(name, 100) == name);
    CHECK(cut_name(name, 60) == "std::map<int, long> text::parse<char>(std::string const&...)");
    CHECK(cut_name(name, 42) == "std::map<int, long> text::parse<char>(...)");
    CHECK(cut_name(name, 41) == "text::parse<char>(...)");
    CHECK(cut_name(name, 21) == "text::parse<...>(...)");
    CHECK(cut_name(name, 3) == "...::parse<...>(...)");
    CHECK(cut_name("a_very_long_function_of_c", 5) == "a_very_long_function_of_c");
}

TEST_CASE("cutting knows operators, lambdas, anonymous namespaces and clones") {
    CHECK(cut_name("ns::operator<(ns::A const&, ns::A const&)", 20) == "ns::operator<(ns...)");
    CHECK(cut_name("ns::operator<< <int>(ns::A const&)", 25) == "ns::operator<< <int>(...)");
    CHECK(cut_name("ns::Call<ns::A, ns::B>::operator()(int, int) const", 30) == "ns::Call<...>::operator()(...)");
    CHECK(cut_name("main::{lambda(int)#1}::operator()(int) const", 42) == "main::{lambda(int)#1}::operator()(int...)");
    CHECK(cut_name("main::{lambda(int)#1}::operator()(int) const", 10) == "...::operator()(...)");
    CHECK(cut_name("ns::A::f(int, ns::B<char> const&) const::{lambda(int)#1}::operator()(int) const", 73) ==
          "ns::A::f(int, ns::B<char> const&) const::{lambda(int)#1}::operator()(...)");
    CHECK(cut_name("ns::A::f(int, ns::B<char> const&) const::{lambda(int)#1}::operator()(int) const", 50) ==
          "...::{lambda(int)#1}::operator()(...)");
    CHECK(cut_name("long ns::A::f<int>() volatile const &&::L::run<int>(int, int)", 54) ==
          "ns::A::f<int>() volatile const &&::L::run<int>(...)");
    CHECK(cut_name("(anonymous namespace)::run(int, char, long)", 31) == "(anonymous namespace)::run(...)");
    CHECK(cut_name("(anonymous namespace)::run(int, char, long)", 12) == "...::run(...)");
    CHECK(cut_name("foo(int, int, int, int) [clone .constprop.0]", 14) == "foo(int, i...)");
    CHECK(cut_name("A::operator std::vector<int, std::allocator<int> >() const", 20) == "A::operator std::vector<...>()");
    CHECK(cut_name("std::thread::State<std::tuple<int, long> >::run()", 12) == "...::run()");
    CHECK(cut_name("std::invoke<int>(int, int, int)", 12) == "std::invoke<...>(...)");
    CHECK(cut_name("f(gr\xc3\xbc\xc3\xbc\xc3\xbc\xc3\xbc\xc3\xbc)", 9) == "f(gr\xc3\xbc...)");
}

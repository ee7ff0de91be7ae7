// JSON as it is written: commas, quoting and numbers are RapidJSON's.
#pragma once

#include "report/text.h"

#include <rapidjson/ostreamwrapper.h>
#include <rapidjson/writer.h>

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <ostream>
#include <string>

namespace fnprof::report {

// One member or element a line of C++; commas and quoting are RapidJSON's.
class Json {
  public:
    explicit Json(std::ostream& out) : stream_(out), writer_(stream_) {}

    void begin_object() { writer_.StartObject(); }
    void end_object() { writer_.EndObject(); }
    void begin_array(const char* key) {
        writer_.Key(key);
        writer_.StartArray();
    }
    void begin_element_array() { writer_.StartArray(); }
    void end_array() { writer_.EndArray(); }
    void key(const char* name) { writer_.Key(name); }
    void member(const char* name, uint64_t value) {
        writer_.Key(name);
        writer_.Uint64(value);
    }
    void signed_member(const char* name, int64_t value) {
        writer_.Key(name);
        writer_.Int64(value);
    }
    // Of any size: times that have to add up exactly.
    void picoseconds(const char* name, Picoseconds value) {
        const std::string text = fmt::format("{}", value);
        writer_.Key(name);
        writer_.RawValue(text.data(), text.size(), rapidjson::kNumberType);
    }
    // null for what is no finite number.
    void real(const char* name, double value) {
        writer_.Key(name);
        std::isfinite(value) ? writer_.Double(value) : writer_.Null();
    }
    void member(const char* name, bool value) {
        writer_.Key(name);
        writer_.Bool(value);
    }
    void member(const char* name, const std::string& value) {
        writer_.Key(name);
        element(value);
    }
    void member(const char* name, const char* value) = delete;
    // null for the value that stands for "none"
    void known(const char* name, const std::string& value) { value.empty() ? null(name) : member(name, value); }
    void known(const char* name, uint64_t value, uint64_t none) { value == none ? null(name) : member(name, value); }
    void null(const char* name) {
        writer_.Key(name);
        writer_.Null();
    }
    void element(const std::string& value) {
        const std::string valid = valid_utf8(value);
        writer_.String(valid.data(), static_cast<rapidjson::SizeType>(valid.size()));
    }
    void element(uint64_t value) { writer_.Uint64(value); }
    // One object a line keeps the document readable, and diff and grep useful.
    void new_line() { stream_.Put('\n'); }

  private:
    rapidjson::OStreamWrapper stream_;
    rapidjson::Writer<rapidjson::OStreamWrapper> writer_;
};

}  // namespace fnprof::report

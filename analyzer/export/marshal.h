// Python's marshal, as much of it as a pstats file needs: dictionaries, tuples, integers, floats, strings. A marshal stream has no header; what
// is written here has been readable since Python 3.4 (version 3 of the format, which brought references).
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string_view>

namespace fnprof::exporter {

class MarshalWriter {
  public:
    explicit MarshalWriter(std::ostream& out) : out_(out) {}

    // Keys and values by turns follow.
    void begin_dict();
    void end_dict();
    // That many values follow.
    void begin_tuple(uint8_t size);
    // The same, and the tuple can be referred to from now on: by the number of such tuples before it.
    void begin_shared_tuple(uint8_t size);
    void reference(uint32_t number);

    void integer(uint64_t value);
    void real(double value);
    // Valid UTF-8, less than 2 GiB.
    void string(std::string_view text);

  private:
    void byte(uint8_t value);
    void little_endian(uint64_t value, int bytes);

    std::ostream& out_;
};

}  // namespace fnprof::exporter

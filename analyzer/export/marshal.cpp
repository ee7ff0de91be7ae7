#include "export/marshal.h"

#include <bit>
#include <ostream>

namespace fnprof::exporter {
namespace {

// Type codes of the format; the highest bit of one says that the object can be referred to.
constexpr uint8_t kNull = '0', kDict = '{', kSmallTuple = ')', kReference = 'r', kInt = 'i', kLong = 'l', kBinaryFloat = 'g', kUnicode = 'u';
constexpr uint8_t kShared = 0x80;

constexpr uint64_t kGreatestInt = 0x7fffffff;
constexpr int kDigitBits = 15;  // of a long integer

}  // namespace

void MarshalWriter::byte(uint8_t value) { out_.put(static_cast<char>(value)); }

void MarshalWriter::little_endian(uint64_t value, int bytes) {
    for (int i = 0; i < bytes; ++i) byte(static_cast<uint8_t>(value >> (8 * i)));
}

void MarshalWriter::begin_dict() { byte(kDict); }

void MarshalWriter::end_dict() { byte(kNull); }

void MarshalWriter::begin_tuple(uint8_t size) {
    byte(kSmallTuple);
    byte(size);
}

void MarshalWriter::begin_shared_tuple(uint8_t size) {
    byte(kSmallTuple | kShared);
    byte(size);
}

void MarshalWriter::reference(uint32_t number) {
    byte(kReference);
    little_endian(number, 4);
}

void MarshalWriter::integer(uint64_t value) {
    if (value <= kGreatestInt) {
        byte(kInt);
        little_endian(value, 4);
        return;
    }
    uint64_t digits = 0;
    for (uint64_t rest = value; rest != 0; rest >>= kDigitBits) ++digits;
    byte(kLong);
    little_endian(digits, 4);
    for (; value != 0; value >>= kDigitBits) little_endian(value & ((1U << kDigitBits) - 1), 2);
}

void MarshalWriter::real(double value) {
    byte(kBinaryFloat);
    little_endian(std::bit_cast<uint64_t>(value), 8);
}

void MarshalWriter::string(std::string_view text) {
    byte(kUnicode);
    little_endian(text.size(), 4);
    out_.write(text.data(), static_cast<std::streamsize>(text.size()));
}

}  // namespace fnprof::exporter

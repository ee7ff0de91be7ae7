#include "report/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <clocale>
#include <cmath>
#include <cwchar>

namespace fnprof::report {
namespace {

struct Unit {
    double picoseconds;
    const char* name;
};
constexpr std::array<Unit, 4> kUnits{{{1e3, "ns"}, {1e6, "us"}, {1e9, "ms"}, {1e12, "s"}}};

// Length of the UTF-8 sequence at the start of `text`, 0 if it is not valid (overlong forms and surrogates included).
size_t sequence_length(std::string_view text) {
    const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned first = byte(0);
    if (first < 0x80) return 1;
    const size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
    if (first < 0xc2 || first > 0xf4 || text.size() < length) return 0;
    for (size_t i = 1; i < length; ++i)
        if ((byte(i) & 0xc0) != 0x80) return 0;
    if ((first == 0xe0 && byte(1) < 0xa0) || (first == 0xed && byte(1) > 0x9f)) return 0;
    if ((first == 0xf0 && byte(1) < 0x90) || (first == 0xf4 && byte(1) > 0x8f)) return 0;
    return length;
}

// Columns of one valid sequence of more than one byte: 0 for combining marks, 2 for East Asian wide characters.
size_t code_point_columns(std::string_view sequence) {
    static const locale_t utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", nullptr);
    if (utf8 == nullptr) return 1;
    auto point = static_cast<wchar_t>(static_cast<unsigned char>(sequence[0]) & (0x7f >> sequence.size()));
    for (const char byte : sequence.substr(1)) point = static_cast<wchar_t>(point << 6 | (byte & 0x3f));
    const locale_t before = uselocale(utf8);
    const int width = wcwidth(point);
    uselocale(before);
    return width < 0 ? 1 : static_cast<size_t>(width);
}

template <typename Keep>
std::string filtered(std::string_view text, Keep keep) {
    std::string out;
    out.reserve(text.size());
    while (!text.empty()) {
        size_t length = sequence_length(text);
        if (length == 0) {
            out += "\xef\xbf\xbd";
            length = 1;
        } else {
            keep(text.substr(0, length), out);
        }
        text.remove_prefix(length);
    }
    return out;
}

}  // namespace

std::string format_time(Picoseconds picoseconds) {
    if (picoseconds == 0) return "0ns";
    const double value = static_cast<double>(picoseconds);
    const double size = std::fabs(value);
    // 0.99995 of the next unit would round up to five digits.
    size_t unit = 0;
    while (unit + 1 < kUnits.size() && size >= kUnits[unit + 1].picoseconds * 0.99995) ++unit;
    const double scaled = value / kUnits[unit].picoseconds;
    const double digits = std::fabs(scaled);
    const int decimals = digits < 9.9995 ? 3 : digits < 99.995 ? 2 : digits < 999.95 ? 1 : 0;
    return fmt::format("{:.{}f}{}", scaled, decimals, kUnits[unit].name);
}

std::string format_exact_time(Picoseconds picoseconds) {
    std::string text = format_time(picoseconds);
    const size_t unit = text.find_first_not_of("-0123456789.");
    if (text.find('.') == std::string::npos) return text;
    size_t end = text.find_last_not_of('0', unit - 1);
    if (text[end] == '.') --end;
    return text.erase(end + 1, unit - end - 1);
}

std::string format_time(Picoseconds picoseconds, uint64_t resolution_ps) {
    if (resolution_ps != 0 && picoseconds < Picoseconds{resolution_ps}) {
        const double value = static_cast<double>(resolution_ps);
        size_t unit = 0;
        while (unit + 1 < kUnits.size() && value >= kUnits[unit + 1].picoseconds * 0.95) ++unit;
        const double scaled = value / kUnits[unit].picoseconds;
        return fmt::format("<{:.{}f}{}", scaled, scaled < 0.0995 ? 2 : scaled < 9.95 ? 1 : 0, kUnits[unit].name);
    }
    return format_time(picoseconds);
}

std::string format_percent(Picoseconds part, Picoseconds whole) {
    if (whole <= 0) return {};
    const double share = 100.0 * static_cast<double>(part) / static_cast<double>(whole);
    return fmt::format("{:.1f}", std::fabs(share) < 0.05 ? 0.0 : share);
}

std::string printable(std::string_view text) {
    return filtered(text, [](std::string_view sequence, std::string& out) {
        const auto first = static_cast<unsigned char>(sequence[0]);
        // C0, DEL and the C1 controls (U+0080..U+009F), which some terminals obey too.
        if (first < 0x20 || first == 0x7f)
            out += fmt::format("\\x{:02x}", first);
        else if (first == 0xc2 && static_cast<unsigned char>(sequence[1]) < 0xa0)
            out += fmt::format("\\x{:02x}", static_cast<unsigned char>(sequence[1]));
        else
            out += sequence;
    });
}

std::string valid_utf8(std::string_view text) {
    return filtered(text, [](std::string_view sequence, std::string& out) { out += sequence; });
}

std::string hexadecimal(std::span<const uint8_t> bytes) {
    std::string out;
    for (const uint8_t byte : bytes) out += fmt::format("{:02x}", byte);
    return out;
}

size_t columns(std::string_view text) {
    size_t count = 0;
    while (!text.empty()) {
        const size_t length = std::max<size_t>(1, sequence_length(text));
        count += length == 1 ? 1 : code_point_columns(text.substr(0, length));
        text.remove_prefix(length);
    }
    return count;
}

}  // namespace fnprof::report

#include "report/nearest.h"

#include "report/text.h"

#include <algorithm>
#include <cctype>
#include <utility>

namespace fnprof::report {
namespace {

std::string small(std::string_view text) {
    std::string out(text);
    for (char& c : out) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return out;
}

bool is_word(std::string_view text) {
    return !text.empty() && std::ranges::all_of(text, [](unsigned char c) {
        return std::isalnum(c) != 0 || c == '_' || c == ':' || c == '~' || c == '.' || c == '@' || c >= 0x80;
    });
}

}  // namespace

size_t edit_distance(std::string_view first, std::string_view second, size_t most) {
    const std::string a = small(first), b = small(second);
    if (std::max(a.size(), b.size()) - std::min(a.size(), b.size()) > most) return most + 1;
    // Row i of the table of distances between the first i letters of a and all beginnings of b; two rows back for exchanges.
    std::vector<size_t> before_last(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
    for (size_t k = 0; k <= b.size(); ++k) row[k] = k;
    for (size_t i = 1; i <= a.size(); ++i) {
        std::swap(before_last, last);
        std::swap(last, row);
        row[0] = i;
        for (size_t k = 1; k <= b.size(); ++k) {
            const bool same = a[i - 1] == b[k - 1];
            row[k] = std::min({last[k] + 1, row[k - 1] + 1, last[k - 1] + (same ? 0 : 1)});
            if (i > 1 && k > 1 && a[i - 1] == b[k - 2] && a[i - 2] == b[k - 1]) row[k] = std::min(row[k], before_last[k - 2] + 1);
        }
        if (std::ranges::min(row) > most) return most + 1;
    }
    return std::min(row.back(), most + 1);
}

std::vector<std::string> nearest(std::string_view word, std::span<const std::string> candidates, size_t count) {
    const size_t most = std::max<size_t>(1, word.size() / 3);
    std::vector<std::pair<size_t, std::string>> near;
    for (const std::string& candidate : candidates)
        if (const size_t distance = edit_distance(word, candidate, most); distance <= most && distance < word.size())
            near.emplace_back(distance, candidate);
    std::ranges::sort(near);
    std::vector<std::string> out;
    for (auto& [distance, candidate] : near)
        if (out.size() < count) out.push_back(std::move(candidate));
    return out;
}

std::vector<std::string> function_words(const Names& names) {
    std::vector<std::string> out;
    for (model::FunctionId id = 0; id < names.size(); ++id) {
        std::string qualified = qualified_name(names[id].name), unqualified = unqualified_name(names[id].name);
        if (is_word(unqualified)) out.push_back(std::move(unqualified));
        if (is_word(qualified)) out.push_back(std::move(qualified));
    }
    std::ranges::sort(out);
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
}

std::string alternatives(std::span<const std::string> words) {
    std::string out;
    for (size_t i = 0; i < words.size(); ++i)
        out += (i == 0 ? "" : i + 1 == words.size() ? " or " : ", ") + printable(words[i]);
    return out;
}

}  // namespace fnprof::report

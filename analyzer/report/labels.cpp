#include "report/labels.h"

#include "report/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <functional>
#include <map>
#include <set>
#include <unordered_map>

namespace fnprof::report {
namespace {

using model::FunctionId;
using Texts = std::vector<std::string>;
using Tags = std::map<FunctionId, std::string>;

constexpr std::string_view kOutside = "<not instrumented>";
constexpr size_t kTagColumns = 24;

bool in_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || static_cast<unsigned char>(c) >= 0x80; }

bool all_different(const Texts& texts) { return std::set<std::string_view>(texts.begin(), texts.end()).size() == texts.size(); }

// Where the texts begin to differ, put back to the beginning of a word.
size_t common_beginning(const Texts& texts) {
    size_t length = texts.front().size();
    for (const std::string& text : texts)
        length = std::min(length, static_cast<size_t>(std::ranges::mismatch(text, texts.front()).in1 - text.begin()));
    while (length > 0 && in_word(texts.front()[length - 1])) --length;
    return length;
}

// At most kTagColumns columns, whole code points.
std::string shortened(std::string_view text) {
    if (columns(text) <= kTagColumns) return std::string(text);
    size_t end = 0;
    for (size_t next = 0; next < text.size();) {
        ++next;
        while (next < text.size() && (static_cast<unsigned char>(text[next]) & 0xc0) == 0x80) ++next;
        if (columns(text.substr(0, next)) > kTagColumns - 3) break;
        end = next;
    }
    return std::string(text.substr(0, end)) + "...";
}

// The first `count` words of a text, the signs between them included.
std::string_view first_words(std::string_view text, size_t count) {
    size_t end = 0;
    for (; count > 0 && end < text.size(); --count) {
        while (end < text.size() && !in_word(text[end])) ++end;
        while (end < text.size() && in_word(text[end])) ++end;
    }
    return text.substr(0, end);
}

// As many words of each as it takes for all to differ.
Texts first_differing_words(const Texts& texts) {
    constexpr size_t kMostWords = 4;
    for (size_t count = 1; count <= kMostWords; ++count) {
        Texts words;
        for (const std::string& text : texts) words.push_back(shortened(first_words(text, count)));
        if (all_different(words)) return words;
    }
    Texts all;
    for (const std::string& text : texts) all.push_back(shortened(text));
    return all;
}

// What each text has that the others have not, without the end that all have in common.
Texts differing_parts(const Texts& texts) {
    const size_t begin = common_beginning(texts);
    Texts backwards;
    for (const std::string& text : texts) backwards.emplace_back(text.rbegin(), text.rend() - static_cast<std::ptrdiff_t>(begin));
    size_t end = common_beginning(backwards);
    // An end that leaves nothing of some text says nothing about it.
    for (const std::string& text : backwards)
        if (end >= text.size()) end = 0;
    Texts parts;
    for (const std::string& text : texts) parts.push_back(text.substr(begin, text.size() - begin - end));
    return first_differing_words(parts);
}

// A tag for each, all different: the first way of telling them apart that does.
Tags tags_of(const Names& names, const std::set<FunctionId>& ids) {
    const auto texts_by = [&](const std::function<std::string(FunctionId)>& text) {
        Texts texts;
        for (const FunctionId id : ids) texts.push_back(text(id));
        return texts;
    };
    const std::vector<std::function<std::string(FunctionId)>> ways{
        [&](FunctionId id) { return printable(names[id].name); },
        [&](FunctionId id) { return names[id].file.empty() ? std::string() : printable(fmt::format("{}:{}", names[id].file, names[id].line)); },
        [&](FunctionId id) { return printable(names[id].module); },
        [&](FunctionId id) { return fmt::format("+{:#x}", names[id].offset); },
    };
    Texts best;
    for (const auto& way : ways) {
        const Texts whole = texts_by(way);
        if (!all_different(whole)) continue;
        best = differing_parts(whole);
        if (all_different(best)) break;
        best.clear();
    }
    if (best.empty()) best = texts_by([](FunctionId id) { return fmt::format("id {}", id); });
    Tags tags;
    size_t next = 0;
    for (const FunctionId id : ids) tags[id] = fmt::format(" [{}]", best[next++]);
    return tags;
}

std::string cut(const Names& names, const PathStyle& style, const LabelRow& row, LabelForm form, std::string_view tag) {
    if (row.id == model::kNone) return std::string(kOutside);
    const size_t taken = columns(tag);
    const size_t room = row.room == 0 ? 0 : row.room > taken ? row.room - taken : 1;
    return (form == LabelForm::kPlaceFirst ? names.label(row.id, style, room) : names.function_first(row.id, style, room)) + std::string(tag);
}

}  // namespace

std::vector<std::string> distinct_labels(const Names& names, const PathStyle& style, std::span<const LabelRow> rows, LabelForm form) {
    Texts labels;
    labels.reserve(rows.size());
    std::unordered_map<std::string, std::set<FunctionId>> bearers;
    for (const LabelRow& row : rows) {
        labels.push_back(cut(names, style, row, form, ""));
        if (row.id != model::kNone) bearers[labels.back()].insert(row.id);
    }
    std::unordered_map<std::string, Tags> tags;
    for (const auto& [label, ids] : bearers)
        if (ids.size() > 1) tags.emplace(label, tags_of(names, ids));
    for (size_t i = 0; i < rows.size(); ++i)
        if (const auto found = tags.find(labels[i]); found != tags.end() && rows[i].id != model::kNone)
            labels[i] = cut(names, style, rows[i], form, found->second.at(rows[i].id));
    return labels;
}

}  // namespace fnprof::report

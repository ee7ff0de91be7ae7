#include "cli/words.h"

#include <algorithm>
#include <filesystem>

namespace fnprof::cli {
namespace {

constexpr const char* kDefaultTrace = "trace.zst";

bool names_trace(const std::string& word) {
    if (word == "-" || word.ends_with(".zst")) return true;
    std::error_code error;
    const std::filesystem::file_status status = std::filesystem::status(word, error);
    return std::filesystem::exists(status) && !std::filesystem::is_directory(status);
}

void add_restriction(const std::string& word, Words& out) {
    if (word == "all")
        out.all = true;
    else if (const auto amount = report::parse_amount(word))
        out.restrictions.push_back(*amount);
    else
        out.restrictions.push_back(report::parse_pattern(word));
}

}  // namespace

Words classify(const std::vector<std::string>& words) {
    Words out;
    for (const std::string& word : words) {
        const bool number = word == "all" || report::parse_amount(word);
        if (!number && names_trace(word)) {
            out.traces.push_back(word);
            continue;
        }
        add_restriction(word, out);
        if (std::error_code error; !number && std::filesystem::is_directory(word, error)) out.directories.push_back(word);
    }
    out.trace_named = !out.traces.empty();
    if (!out.trace_named) out.traces.emplace_back(kDefaultTrace);
    return out;
}

Words classify_restrictions(const std::vector<std::string>& words) {
    Words out;
    for (const std::string& word : words) add_restriction(word, out);
    return out;
}

std::optional<std::pair<std::vector<std::string>, std::vector<std::string>>> split_at_dashes(const std::vector<std::string>& arguments) {
    const auto dashes = std::ranges::find(arguments, "--");
    if (dashes == arguments.end()) return std::nullopt;
    return std::pair(std::vector(arguments.begin(), dashes), std::vector(dashes + 1, arguments.end()));
}

}  // namespace fnprof::cli

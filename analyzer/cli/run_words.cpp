#include "cli/run_words.h"

#include "report/names.h"
#include "report/order.h"
#include "report/pattern.h"
#include "report/text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <functional>
#include <utility>

namespace fnprof::cli {
namespace {

constexpr uint64_t kNsPerSecond = 1'000'000'000;
constexpr std::array<std::pair<std::string_view, uint64_t>, 6> kUnits{
    {{"ns", 1}, {"us", 1'000}, {"ms", 1'000'000}, {"s", kNsPerSecond}, {"m", 60 * kNsPerSecond}, {"h", 3600 * kNsPerSecond}}};
constexpr size_t kNamesListed = 8;

std::optional<uint64_t> parse_whole(std::string_view digits) {
    uint64_t value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
    return value;
}

// A decimal number of units; what is beyond a nanosecond is cut off.
std::optional<uint64_t> parse_decimal(std::string_view number, uint64_t unit_ns) {
    const size_t point = std::min(number.find('.'), number.size());
    const std::string_view fraction = number.substr(std::min(point + 1, number.size()));
    if (point == 0 && fraction.empty()) return std::nullopt;
    if (fraction.find_first_not_of("0123456789") != std::string_view::npos) return std::nullopt;
    const std::optional<uint64_t> whole = point == 0 ? 0 : parse_whole(number.substr(0, point));
    uint64_t ns = 0;
    if (!whole || __builtin_mul_overflow(*whole, unit_ns, &ns)) return std::nullopt;
    uint64_t place_ns = unit_ns;
    for (const char digit : fraction) {
        place_ns /= 10;
        ns += place_ns * static_cast<uint64_t>(digit - '0');
    }
    return ns;
}

struct Moment {
    uint64_t ns = 0;
    bool absolute = false;
};

// One end of a range: with a unit since the start of the run, without one seconds of the monotonic clock.
Moment parse_moment(const std::string& range, std::string_view text) {
    if (const std::optional<uint64_t> ns = parse_time(text)) return {*ns, false};
    if (const std::optional<uint64_t> ns = parse_decimal(text, kNsPerSecond)) return {*ns, true};
    throw report::UsageError(fmt::format("--time-range {}: {} is no time; write one with a unit (10ms, 1.5s) since the start of the run, or without "
                                         "one in seconds of the monotonic clock",
                                         report::printable(range), report::printable(text)));
}

struct Wanted {
    std::vector<uint64_t> numbers;
    std::vector<report::Pattern> patterns;

    bool has(uint64_t number) const { return std::ranges::find(numbers, number) != numbers.end(); }
    bool has(std::string_view name) const {
        return std::ranges::any_of(patterns, [&](const report::Pattern& pattern) { return pattern.found_in(name); });
    }
};

Wanted parse_wanted(std::string_view option, std::string_view words) {
    Wanted wanted;
    while (true) {
        const size_t comma = words.find(',');
        const std::string_view word = words.substr(0, comma);
        if (word.empty()) throw report::UsageError(fmt::format("{}: a name or number is missing", option));
        if (const std::optional<uint64_t> number = parse_whole(word)) {
            wanted.numbers.push_back(*number);
        } else {
            wanted.patterns.emplace_back(option, word);
        }
        if (comma == std::string_view::npos) return wanted;
        words.remove_prefix(comma + 1);
    }
}

std::string listed(const std::set<std::string>& names) {
    std::vector<std::string> first;
    for (const std::string& name : names)
        if (first.size() < kNamesListed) first.push_back(name);
    return fmt::format("{}{}", fmt::join(first, ", "), names.size() > first.size() ? fmt::format(" and {} more", names.size() - first.size()) : "");
}

}  // namespace

std::optional<uint64_t> parse_time(std::string_view text) {
    if (text == "0") return 0;
    const size_t end = std::min(text.find_first_not_of("0123456789."), text.size());
    const auto unit = std::ranges::find(kUnits, text.substr(end), &std::pair<std::string_view, uint64_t>::first);
    return unit == kUnits.end() ? std::nullopt : parse_decimal(text.substr(0, end), unit->second);
}

void RunWords::name_threads() {
    selection.thread_words = processes_.empty() ? "" : "process " + processes_;
    if (!threads_.empty()) selection.thread_words += (processes_.empty() ? "thread " : ", thread ") + threads_;
}

void RunWords::set_threads(const std::string& words) {
    threads_ = words;
    name_threads();
    seen_threads_ = std::make_shared<Seen>();
    selection.takes_thread = [wanted = parse_wanted("--thread", words), seen = seen_threads_](const model::Thread& thread) {
        const bool taken = wanted.has(thread.serial) || (thread.tid > 0 && wanted.has(static_cast<uint64_t>(thread.tid))) || wanted.has(thread.name);
        seen->taken |= taken;
        seen->names.insert(fmt::format("{}{}{}", thread.serial, thread.name.empty() ? "" : " ", report::printable(thread.name)));
        return taken;
    };
}

void RunWords::set_processes(const std::string& words) {
    processes_ = words;
    name_threads();
    seen_processes_ = std::make_shared<Seen>();
    selection.takes_process = [wanted = parse_wanted("--process", words), seen = seen_processes_](const model::Process& process) {
        const std::string name(report::base_name(process.program));
        const bool taken = wanted.has(process.pid) || wanted.has(name);
        seen->taken |= taken;
        seen->names.insert(fmt::format("{} {}", process.pid, report::printable(name)));
        return taken;
    };
}

void RunWords::set_time_range(const std::string& words) {
    const size_t tilde = words.find('~');
    if (tilde == std::string::npos || words.size() == 1)
        throw report::UsageError(fmt::format("--time-range {} is no range: write A~B, A~ or ~B", report::printable(words)));
    const std::string from = words.substr(0, tilde), until = words.substr(tilde + 1);
    const Moment begin = from.empty() ? Moment{} : parse_moment(words, from);
    const Moment end = until.empty() ? Moment{~uint64_t{0}} : parse_moment(words, until);
    if (begin.ns != 0 && !until.empty() && begin.absolute != end.absolute)
        throw report::UsageError(fmt::format("--time-range {}: both ends need units, or neither", report::printable(words)));
    if (begin.ns >= end.ns) throw report::UsageError(fmt::format("--time-range {} ends before it begins", report::printable(words)));
    selection.from_ns = begin.ns;
    selection.until_ns = end.ns;
    selection.by_monotonic_clock = begin.absolute || end.absolute;
    selection.range_words = "time range " + words;
    selection.range_note = "a call counts if it began in the range, the time inside counts of all calls";
}

// Both options fold calls, so there is one reduction.
void RunWords::name_sizes(const std::string& words) { selection.fold_words += (selection.fold_words.empty() ? "" : ", ") + words; }

void RunWords::set_least_time(const std::string& words) {
    const std::optional<uint64_t> ns = parse_time(words);
    if (!ns || *ns == 0) throw report::UsageError(fmt::format("--min-time {} is no time: write one with its unit, as 10us", report::printable(words)));
    selection.least_ns = *ns;
    name_sizes("min time " + words);
}

void RunWords::set_most_depth(int64_t depth) {
    if (depth < 1 || depth >= std::numeric_limits<uint32_t>::max())
        throw report::UsageError(fmt::format("--max-depth {} is no depth: calls without a caller have depth 1", depth));
    selection.most_depth = static_cast<uint32_t>(depth);
    name_sizes(fmt::format("max depth {}", depth));
}

std::vector<std::string> RunWords::notes() const {
    std::vector<std::string> notes;
    const auto add = [&](const std::shared_ptr<Seen>& seen, std::string_view what, const std::string& words) {
        if (seen != nullptr && !seen->taken && !seen->names.empty())
            notes.push_back(fmt::format("--{} {}: there is no such {}; there are {}", what, words, what, listed(seen->names)));
    };
    add(seen_processes_, "process", processes_);
    add(seen_threads_, "thread", threads_);
    return notes;
}

}  // namespace fnprof::cli

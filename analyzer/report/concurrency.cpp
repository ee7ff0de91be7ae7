#include "report/concurrency.h"

#include "report/text.h"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

namespace fnprof::report {
namespace {

constexpr size_t kMostNameColumns = 24;
constexpr size_t kLeastSlices = 16;
constexpr size_t kMostSlices = 120;  // a strip of 256 slices has no more to say
constexpr size_t kUncutPage = 100;

constexpr std::array<std::string_view, 8> kBlocks{"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
constexpr std::array<std::string_view, 8> kAscii{"-", ":", "=", "+", "*", "o", "%", "#"};

struct Window {
    uint64_t start_ns = 0;
    uint64_t end_ns = 0;
    size_t slices = 0;

    // The first moment of a slice; of the one behind the last: the window's end.
    uint64_t moment(size_t slice) const { return start_ns + static_cast<uint64_t>(model::Picoseconds{end_ns - start_ns} * slice / slices); }
};

std::string name_of(const model::Profile& profile, const model::Thread& thread) {
    std::string name = fmt::to_string(thread.serial);
    if (profile.processes.size() > 1 && thread.process != model::kNone) name = fmt::format("{}/{}", profile.processes[thread.process].pid, name);
    return thread.name.empty() ? name : fmt::format("{} {}", name, printable(thread.name));
}

std::string cut(std::string text, size_t width) {
    if (columns(text) <= width) return text;
    // printable() text: a byte that goes on with a code point is no place to cut.
    while (columns(text) + 3 > width) {
        do text.pop_back();
        while (!text.empty() && (static_cast<unsigned char>(text.back()) & 0xc0) == 0x80);
    }
    return text + "...";
}

std::string strip(const model::Thread& thread, const Window& window, bool utf8) {
    std::string text;
    for (size_t slice = 0; slice < window.slices; ++slice) {
        const uint64_t from = window.moment(slice), to = window.moment(slice + 1);
        const double share = thread.activity.busy_ns(from, to) / static_cast<double>(std::max<uint64_t>(to - from, 1));
        if (share > 0) {
            const auto level = static_cast<size_t>(std::ceil(std::min(share, 1.0) * 8 - 1e-9));
            text += (utf8 ? kBlocks : kAscii)[std::max<size_t>(level, 1) - 1];
        } else {
            const bool lives = thread.start_ns < to && thread.end_ns > from;
            text += !lives ? " " : utf8 ? "·" : ".";
        }
    }
    return text;
}

// By slice, how many threads were busy.
std::vector<double> active_threads(const model::Profile& profile, const Window& window) {
    std::vector<double> active(window.slices);
    for (const model::Thread& thread : profile.threads) {
        if (thread.activity.empty()) continue;
        for (size_t slice = 0; slice < window.slices; ++slice) {
            const uint64_t from = window.moment(slice), to = window.moment(slice + 1);
            active[slice] += thread.activity.busy_ns(from, to) / static_cast<double>(std::max<uint64_t>(to - from, 1));
        }
    }
    return active;
}

char digit(double threads) {
    const double rounded = std::round(threads);
    return threads <= 0 ? ' ' : rounded > 9 ? '+' : static_cast<char>('0' + static_cast<int>(rounded));
}

bool one_clock(const model::Profile& profile) {
    return std::ranges::all_of(profile.processes, [&](const model::Process& process) { return process.boot_id == profile.processes.front().boot_id; });
}

}  // namespace

void print_concurrency(std::ostream& out, const Page& page, std::span<const uint32_t> threads) {
    const model::Profile& profile = page.profile;
    if (!one_clock(profile)) return print_wrapped(out, page, "The processes ran on several hosts or boots, whose clocks do not compare: nothing is drawn over time.");
    Window window{.start_ns = ~uint64_t{0}};
    for (const model::Thread& thread : profile.threads) {
        if (thread.activity.empty()) continue;
        window.start_ns = std::min(window.start_ns, thread.start_ns);
        window.end_ns = std::max(window.end_ns, thread.end_ns);
    }
    if (window.start_ns >= window.end_ns) return print_wrapped(out, page, "No thread was inside instrumented code.");
    std::vector<std::string> names;
    size_t name_columns = std::string_view("active").size();
    for (const uint32_t thread : threads) {
        names.push_back(cut(name_of(profile, profile.threads[thread]), kMostNameColumns));
        name_columns = std::max(name_columns, columns(names.back()));
    }
    const size_t taken = 2 + name_columns + 3;
    const size_t width = page.width == 0 ? kUncutPage : page.width;
    window.slices = std::clamp(width > taken ? width - taken : 0, kLeastSlices, kMostSlices);
    const auto line = [&](const std::string& name, const std::string& text) {
        fmt::print(out, "  {}{} |{}|\n", name, std::string(name_columns - columns(name), ' '), text);
    };
    for (size_t i = 0; i < threads.size(); ++i) line(names[i], strip(profile.threads[threads[i]], window, page.utf8));
    const std::vector<double> active = active_threads(profile, window);
    std::string digits;
    double sum = 0;
    for (const double one : active) {
        digits += digit(one);
        sum += one;
    }
    line("active", digits);
    const uint64_t origin = profile.processes.empty() ? window.start_ns : std::ranges::min_element(profile.processes, {}, &model::Process::start_ns)->start_ns;
    const auto since = [&](uint64_t ns) { return "+" + format_time(model::Picoseconds{ns - std::min(origin, ns)} * 1000); };
    const std::string begin = since(window.start_ns), end = since(window.end_ns);
    const size_t room = window.slices + 2;
    fmt::print(out, "  {}{}{}{}\n\n", std::string(name_columns + 1, ' '), begin, std::string(std::max(room, begin.size() + end.size() + 1) - begin.size() - end.size(), ' '),
               end);
    print_wrapped(out, page,
                  fmt::format("A column is {}: as full as the share of it that the thread was busy, a dot where it lived and was not. Active is the number of "
                              "threads busy at a time (+: more than 9): {:.2f} on average, at most {:.2f} over a column.",
                              format_time(model::Picoseconds{(window.end_ns - window.start_ns)} * 1000 / window.slices), sum / static_cast<double>(window.slices),
                              *std::ranges::max_element(active)));
}

}  // namespace fnprof::report

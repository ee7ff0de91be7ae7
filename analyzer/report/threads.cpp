#include "report/threads.h"

#include "report/concurrency.h"
#include "report/pattern.h"
#include "report/text.h"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <ostream>
#include <variant>

namespace fnprof::report {
namespace {

struct Chosen {
    std::vector<uint32_t> shown;
    std::vector<uint32_t> hidden;
    std::vector<std::string> messages;
};

std::string searched(const model::Thread& thread) {
    return thread.name.empty() ? fmt::to_string(thread.serial) : fmt::format("{} {}", thread.serial, printable(thread.name));
}

Chosen choose(const model::Profile& profile, const ThreadsOptions& options) {
    Chosen chosen;
    chosen.shown = sorted_threads(profile, options.order);
    for (const Restriction& restriction : options.restrictions) {
        std::vector<uint32_t>& shown = chosen.shown;
        const size_t before = shown.size();
        auto end = shown.begin();
        if (const auto* matching = std::get_if<Matching>(&restriction)) {
            const Pattern pattern("pattern", matching->pattern);
            end = std::stable_partition(shown.begin(), shown.end(),
                                        [&](uint32_t thread) { return pattern.found_in(searched(profile.threads[thread])); });
        } else {
            end += static_cast<std::ptrdiff_t>(first_rows(restriction, before));
        }
        chosen.hidden.insert(chosen.hidden.end(), end, shown.end());
        shown.erase(end, shown.end());
        if (shown.size() != before)
            chosen.messages.push_back(fmt::format("List reduced from {} to {} due to restriction <{}>", before, shown.size(), describe(restriction)));
    }
    return chosen;
}

void print_hidden_threads(std::ostream& out, const Page& page, const std::vector<uint32_t>& hidden) {
    if (hidden.empty()) return;
    uint64_t calls = 0, busy_ns = 0, all_ns = 0;
    for (const model::Thread& thread : page.profile.threads) all_ns += thread.busy_ns;
    for (const uint32_t thread : hidden) {
        calls += page.profile.threads[thread].ncalls;
        busy_ns += page.profile.threads[thread].busy_ns;
    }
    const std::string share = format_percent(busy_ns, all_ns);
    fmt::print(out, "\n");
    print_wrapped(out, page,
                  fmt::format("{} more thread{} not shown: {} call{}, busy for {}{}; 'all' shows everything", hidden.size(), hidden.size() == 1 ? "" : "s",
                              calls, calls == 1 ? "" : "s", format_time(Picoseconds{busy_ns} * 1000), share.empty() ? "" : " (" + share + "%)"));
}

}  // namespace

void print_threads(std::ostream& out, const Page& page, const ThreadsOptions& options) {
    print_heading(out, page);
    print_wrapped(out, page,
                  "Busy is the time inside instrumented functions, waiting and the hooks included; busy% its share of the thread's life from its first record "
                  "to its last");
    const Chosen chosen = choose(page.profile, options);
    print_order(out, options.order.description, chosen.messages);
    print_thread_table(out, page, chosen.shown);
    print_hidden_threads(out, page, chosen.hidden);
    if (chosen.shown.empty()) return;
    fmt::print(out, "\n");
    print_concurrency(out, page, chosen.shown);
}

}  // namespace fnprof::report

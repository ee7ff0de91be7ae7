#include "report/filter_advice.h"

#include "report/json_document.h"
#include "report/text.h"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <array>
#include <map>
#include <ostream>

namespace fnprof::report {
namespace {

constexpr double kLeastShare = 0.01;        // of the hooks' cost: what less saves is not worth a row
constexpr double kDistortionWorthALine = 0.1;  // of what was measured
constexpr size_t kNamedInALine = 3;

// Headers that are not the user's to mark.
constexpr std::array<std::string_view, 2> kSystemDirectories{"/usr/include", "/usr/lib"};

std::string system_directory(const std::string& file) {
    for (const std::string_view directory : kSystemDirectories)
        if (file.starts_with(directory) && file.size() > directory.size() && file[directory.size()] == '/') return std::string(directory);
    return {};
}

std::string share(double part) { return fmt::format("{:.1f}%", 100 * part); }

struct Sum {
    uint64_t ncalls = 0;
    Picoseconds hooks_ps = 0;
};

Sum sum_of(const std::vector<Candidate>& candidates) {
    Sum sum;
    for (const Candidate& candidate : candidates) {
        sum.ncalls += candidate.ncalls;
        sum.hooks_ps += candidate.hooks_ps;
    }
    return sum;
}

Picoseconds all_hooks_ps(const Page& page) { return hook_cost_per_call(page.profile) * page.profile.total_calls(); }

std::string label(const Page& page, const Candidate& candidate, size_t room) {
    if (!candidate.directory.empty()) return fmt::format("{} of {}", counted(candidate.functions.size(), "function"), candidate.directory);
    return page.names.label(candidate.functions[0], page.paths, room);
}

// gcc's list separates by commas.
std::string escaped(const std::string& pattern) {
    std::string text;
    for (const char c : pattern) text += c == ',' ? "\\," : std::string(1, c);
    return text;
}

std::vector<std::string> gcc_flags(const Page& page, const std::vector<Candidate>& candidates) {
    std::string files, functions;
    for (const Candidate& candidate : candidates) {
        if (!candidate.directory.empty()) {
            files += (files.empty() ? "" : ",") + candidate.directory;
        } else if (const std::string pattern = gcc_pattern(page.names[candidate.functions[0]].name); !pattern.empty()) {
            functions += (functions.empty() ? "" : ",") + escaped(pattern);
        }
    }
    std::vector<std::string> flags;
    if (!files.empty()) flags.push_back("-finstrument-functions-exclude-file-list=" + files);
    if (!functions.empty()) flags.push_back("-finstrument-functions-exclude-function-list=" + functions);
    return flags;
}

// Functions that gcc would leave out too, since their names contain what is left out.
std::vector<model::FunctionId> also_excluded(const Page& page, const std::vector<Candidate>& candidates) {
    std::vector<std::string> patterns;
    std::vector<bool> wanted(page.profile.functions.size());
    for (const Candidate& candidate : candidates) {
        for (const model::FunctionId id : candidate.functions) wanted[id] = true;
        if (candidate.directory.empty()) patterns.push_back(gcc_pattern(page.names[candidate.functions[0]].name));
    }
    std::vector<model::FunctionId> found;
    for (model::FunctionId id = 0; id < wanted.size(); ++id) {
        if (wanted[id] || page.profile.stats[id].ncalls == 0) continue;
        const std::string name = "::" + qualified_name(page.names[id].name);
        if (std::ranges::any_of(patterns, [&](const std::string& pattern) { return !pattern.empty() && name.find(pattern) != std::string::npos; })) found.push_back(id);
    }
    std::ranges::stable_sort(found, std::greater(), [&](model::FunctionId id) { return page.profile.stats[id].ncalls; });
    return found;
}

void print_flags(std::ostream& out, const Page& page, const std::vector<Candidate>& candidates) {
    fmt::print(out, "\nWith gcc:\n");
    for (const std::string& flag : gcc_flags(page, candidates)) fmt::print(out, "   '{}'\n", printable(flag));
    if (const std::vector<model::FunctionId> also = also_excluded(page, candidates); !also.empty()) {
        std::string names;
        for (size_t i = 0; i < std::min(also.size(), kNamedInALine); ++i)
            names += fmt::format("{}{} ({})", i == 0 ? "" : ", ", printable(page.names[also[i]].name), counted(page.profile.stats[also[i]].ncalls, "call"));
        if (also.size() > kNamedInALine) names += fmt::format(" and {} more", also.size() - kNamedInALine);
        print_wrapped(out, page, fmt::format("gcc looks for parts of names: {} would be left out too", names));
    }
    std::vector<model::FunctionId> own;
    for (const Candidate& candidate : candidates)
        if (candidate.directory.empty()) own.push_back(candidate.functions[0]);
    if (own.empty()) return;
    fmt::print(out, "\nWith gcc and clang, __attribute__((no_instrument_function)) in the declarations of:\n");
    for (const model::FunctionId id : own)
        fmt::print(out, "   {}\n", page.names.function_first(id, page.paths, page.width > 3 ? page.width - 3 : page.width));
}

// Time of the function itself, without what befell single calls of it: where the machine is busy, or a call waited, the sum tells less about
// what the function does than its median call.
Picoseconds usual_self_ps(const model::FunctionStats& stats) {
    const Picoseconds sum_ps = std::max<Picoseconds>(stats.cost.self_net_ps(), 0);
    if (stats.durations.calls == 0) return sum_ps;
    const Picoseconds median_ps = Picoseconds{percentile_ns(stats.durations, stats.histogram, 500)} * 1000;
    return std::min(sum_ps, median_ps * stats.ncalls);
}

}  // namespace

Picoseconds hook_cost_per_call(const model::Profile& profile) {
    Picoseconds hooks_ps = 0;
    for (const model::FunctionStats& stats : profile.stats) hooks_ps += stats.cost.self_hook_ps;
    const uint64_t calls = profile.total_calls();
    return calls == 0 ? 0 : hooks_ps / calls;
}

std::vector<Candidate> candidates(const Page& page) {
    const Picoseconds each_ps = hook_cost_per_call(page.profile);
    std::vector<Candidate> found;
    std::map<std::string, size_t> directories;
    for (model::FunctionId id = 0; id < page.profile.stats.size(); ++id) {
        const model::FunctionStats& stats = page.profile.stats[id];
        const Picoseconds self_ps = usual_self_ps(stats);
        const Picoseconds hooks_ps = each_ps * stats.ncalls;
        if (stats.ncalls == 0 || hooks_ps <= self_ps) continue;
        const std::string directory = system_directory(page.names[id].file);
        const auto [entry, added] = directories.try_emplace(directory, found.size());
        if (directory.empty() || added) found.push_back({.functions = {}, .directory = directory});
        Candidate& candidate = directory.empty() ? found.back() : found[entry->second];
        candidate.functions.push_back(id);
        candidate.ncalls += stats.ncalls;
        candidate.self_ps += self_ps;
        candidate.hooks_ps += hooks_ps;
    }
    const auto least = static_cast<double>(all_hooks_ps(page)) * kLeastShare;
    std::erase_if(found, [&](const Candidate& candidate) { return static_cast<double>(candidate.hooks_ps) < least; });
    std::ranges::stable_sort(found, std::greater(), &Candidate::hooks_ps);
    return found;
}

std::string gcc_pattern(std::string_view name) {
    const std::string qualified = qualified_name(name);
    const std::string function = unqualified_name(name);
    // gcc writes lambdas, and what is nameless or an instance of a class template, in its own way: the function's own name is enough.
    if (function.empty() || name.find("lambda") != std::string_view::npos) return {};
    const bool plain = name.find('<') == std::string_view::npos && name.find("(anonymous") == std::string_view::npos;
    if (plain) return qualified;
    return qualified == function ? function : "::" + function;
}

std::string distortion(const Page& page) {
    const double of_run = page.figures.hook_share();
    const uint64_t all = page.profile.total_calls();
    // Reports that are not about functions have no names.
    if (of_run < kDistortionWorthALine || all == 0 || page.names.size() == 0) return {};
    std::vector<model::FunctionId> functions(page.profile.stats.size());
    for (model::FunctionId id = 0; id < functions.size(); ++id) functions[id] = id;
    const size_t named = std::min(kNamedInALine, functions.size());
    std::ranges::partial_sort(functions, functions.begin() + static_cast<std::ptrdiff_t>(named), [&](model::FunctionId a, model::FunctionId b) {
        return page.profile.stats[a].ncalls != page.profile.stats[b].ncalls ? page.profile.stats[a].ncalls > page.profile.stats[b].ncalls : a < b;
    });
    std::string names;
    uint64_t calls = 0;
    for (size_t i = 0; i < named; ++i) {
        const uint64_t own = page.profile.stats[functions[i]].ncalls;
        if (own == 0) break;
        calls += own;
        names += fmt::format("{}{}", i == 0 ? "" : ", ", printable(unqualified_name(page.names[functions[i]].name)));
    }
    return fmt::format("the hooks cost {} of what was measured, {} of that in calls of {}; 'fnprof-analyze suggest-filter' says what leaving functions out would save",
                       share(of_run), share(static_cast<double>(calls) / static_cast<double>(all)), names);
}

void print_filter_advice(std::ostream& out, const Page& page, uint64_t trace_bytes) {
    print_heading(out, page);
    fmt::print(out, "\n");
    const Picoseconds all_ps = all_hooks_ps(page);
    if (all_ps == 0) return print_wrapped(out, page, "What the hooks cost is not known of this trace: there is nothing to weigh.");
    const std::vector<Candidate> found = candidates(page);
    if (found.empty())
        return print_wrapped(out, page, fmt::format("No function's hooks cost more than the function does: leaving functions out would hide what is of interest. The hooks cost {} a call, {} of what was measured.",
                                                    format_time(hook_cost_per_call(page.profile)), share(page.figures.hook_share())));
    const Sum sum = sum_of(found);
    const double of_calls = static_cast<double>(sum.ncalls) / static_cast<double>(page.profile.total_calls());
    std::string bytes;
    if (trace_bytes > 0) bytes = fmt::format(", and about as large a part of the {} bytes of trace", trace_bytes);
    print_wrapped(out, page, fmt::format("These functions do less than their hooks, which cost {} a call. Leaving them out saves {} of {} calls ({}) and {} of the {} that the hooks cost{}. "
                                         "Their time and their calls become their callers' own.",
                                         format_time(hook_cost_per_call(page.profile)), sum.ncalls, page.profile.total_calls(), share(of_calls), format_time(sum.hooks_ps),
                                         format_time(all_ps), bytes));
    fmt::print(out, "\n");
    Grid grid({"ncalls", "self/call", "hooks", "%", "Function"});
    for (const Candidate& candidate : found) {
        const Picoseconds self = static_cast<Picoseconds>(candidate.per_call(candidate.self_ps));
        grid.add({fmt::to_string(candidate.ncalls), format_time(self, static_cast<uint64_t>(hook_cost_per_call(page.profile)) / kHookCostDoubt), format_time(candidate.hooks_ps),
                  format_percent(candidate.hooks_ps, all_ps), ""});
    }
    const size_t room = page.width == 0 ? 0 : page.width > grid.width() ? page.width - grid.width() : 1;
    for (size_t i = 0; i < found.size(); ++i) grid.rows()[i].back() = label(page, found[i], room);
    grid.print(out, page);
    print_flags(out, page, found);
}

void print_filter_advice_json(std::ostream& out, const Page& page) {
    const std::vector<Candidate> found = candidates(page);
    print_document(out, page, [&](Json& json) {
        json.member("hook_ps_per_call", static_cast<uint64_t>(hook_cost_per_call(page.profile)));
        json.begin_array("candidates");
        for (const Candidate& candidate : found) {
            json.new_line();
            json.begin_object();
            json.known("directory", candidate.directory);
            json.begin_array("functions");
            for (const model::FunctionId id : candidate.functions) json.element(page.names[id].name);
            json.end_array();
            json.member("ncalls", candidate.ncalls);
            json.member("self_ps", static_cast<uint64_t>(candidate.self_ps));
            json.member("hooks_ps", static_cast<uint64_t>(candidate.hooks_ps));
            json.end_object();
        }
        json.end_array();
        json.begin_array("gcc_flags");
        for (const std::string& flag : gcc_flags(page, found)) json.element(flag);
        json.end_array();
        json.new_line();
    });
}

}  // namespace fnprof::report

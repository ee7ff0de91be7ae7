#include "report/json.h"

#include "report/call_lines.h"
#include "report/json_document.h"
#include "report/json_run.h"
#include "report/reductions.h"
#include "report/text.h"

#include <algorithm>
#include <cmath>
#include <ostream>
#include <span>
#include <utility>
#include <vector>

namespace fnprof::report {
namespace {

// Rounded to the nearest nanosecond, halves away from zero.
// Beyond 292 years, which only a damaged trace can claim, the limit of the type.
int64_t to_ns(Picoseconds ps) {
    const Picoseconds ns = (ps + (ps < 0 ? -500 : 500)) / 1000;
    return static_cast<int64_t>(std::clamp<Picoseconds>(ns, INT64_MIN, INT64_MAX));
}

void cost_members(Json& json, const model::Cost& cost) {
    json.member("self_ns", cost.self_ns);
    json.member("cumulative_ns", cost.cumulative_ns);
    json.signed_member("self_net_ns", to_ns(cost.self_net_ps()));
    json.signed_member("cumulative_net_ns", to_ns(cost.cumulative_net_ps()));
}

void sums(Json& json, const model::Durations& durations) {
    json.member("calls", durations.calls);
    json.member("sum_ns", durations.sum_ns);
    json.member("least_ns", durations.least_ns);
    json.member("most_ns", durations.most_ns);
    json.member("stddev_ns", static_cast<uint64_t>(std::llround(durations.standard_deviation_ns())));
}

// null without a call that has ended.
void sums_member(Json& json, const model::Durations& durations) {
    if (durations.calls == 0) return json.null("durations");
    json.key("durations");
    json.begin_object();
    sums(json, durations);
    json.end_object();
}

// Of a function or an edge.
template <class Stats>
void durations_member(Json& json, const Stats& stats) {
    if (stats.durations.calls == 0) return json.null("durations");
    json.key("durations");
    json.begin_object();
    sums(json, stats.durations);
    constexpr std::pair<const char*, unsigned> kPercentiles[] = {{"p50_ns", 500}, {"p90_ns", 900}, {"p99_ns", 990}, {"p999_ns", 999}};
    for (const auto& [name, permille] : kPercentiles) {
        if (stats.distribution_known) {
            json.member(name, percentile_ns(stats.durations, stats.histogram, permille));
        } else {
            json.null(name);
        }
    }
    json.end_object();
}

void known_member(Json& json, const char* name, uint64_t value, bool known) { known ? json.member(name, value) : json.null(name); }

void weight_members(Json& json, const char* name, const model::Weight& weight) {
    json.key(name);
    json.begin_object();
    json.member("calls", weight.calls);
    json.member("self_ns", weight.self_ns);
    json.signed_member("self_net_ns", to_ns(weight.self_net_ps()));
    json.end_object();
}

void selection_members(Json& json, const Page& page) {
    json.member("by", std::string(row_word(page.names.granularity())));
    json.begin_array("selection");
    for (const model::Reduction& reduction : page.profile.reductions) {
        json.new_line();
        json.begin_object();
        json.member("what", reduction.what);
        weight_members(json, "before", reduction.before);
        weight_members(json, "after", reduction.after);
        weight_members(json, "folded", reduction.folded);
        json.known("note", reduction.note);
        json.end_object();
    }
    json.end_array();
}

void head_members(Json& json, const model::Profile& profile) {
    json.member("schema_version", uint64_t{kJsonSchemaVersion});
    const model::Process* first = profile.first_process();
    json.known("program", first == nullptr ? std::string() : first->program);
    json.member("wall_ns", profile.wall_ns());
    json.member("total_calls", profile.total_calls());
    json.member("primitive_calls", profile.primitive_calls());
}

void functions_member(Json& json, const model::Profile& profile, const Names& names) {
    json.begin_array("functions");
    for (model::FunctionId id = 0; id < profile.functions.size(); ++id) {
        const model::FunctionStats& stats = profile.stats[id];
        const Name& name = names[id];
        json.new_line();
        json.begin_object();
        json.member("id", uint64_t{id});
        json.member("name", name.name);
        json.known("mangled", name.mangled);
        json.known("module", name.module);
        json.known("file", name.file);
        json.known("line", name.line, 0);
        json.member("ncalls", stats.ncalls);
        json.member("primitive_calls", stats.primitive_calls);
        known_member(json, "open_calls", stats.open_calls, stats.distribution_known);
        known_member(json, "unwound_calls", stats.unwound_calls, stats.distribution_known);
        cost_members(json, stats.cost);
        durations_member(json, stats);
        const bool first_known = stats.distribution_known && !name.group;
        known_member(json, "first_calls", stats.first.processes, first_known);
        known_member(json, "first_calls_ns", stats.first.sum_ns, first_known);
        json.end_object();
    }
    json.end_array();
    json.new_line();
}

void edges_member(Json& json, std::span<const model::Edge> edges) {
    json.begin_array("edges");
    for (const model::Edge& edge : edges) {
        json.new_line();
        json.begin_object();
        json.known("caller", edge.caller, model::kNone);
        json.known("callee", edge.callee, model::kNone);
        json.member("ncalls", edge.ncalls);
        json.member("primitive_calls", edge.primitive_calls);
        cost_members(json, edge.cost);
        durations_member(json, edge);
        json.end_object();
    }
    json.end_array();
    json.new_line();
}

void paths_member(Json& json, const model::Profile& profile) {
    json.begin_array("call_paths");
    for (model::PathId id = 0; id < profile.paths.size(); ++id) {
        const model::CallPath& path = profile.paths[id];
        json.new_line();
        json.begin_object();
        json.member("id", uint64_t{id});
        json.known("parent", path.parent, model::kNone);
        json.member("function", uint64_t{path.function});
        json.member("ncalls", path.ncalls);
        cost_members(json, path.cost);
        sums_member(json, path.durations);
        json.end_object();
    }
    json.end_array();
    json.new_line();
}

void histograms_member(Json& json, const model::Profile& profile) {
    json.begin_array("histograms");
    for (model::FunctionId id = 0; id < profile.functions.size(); ++id) {
        if (profile.stats[id].histogram.empty()) continue;
        json.new_line();
        json.begin_object();
        json.member("function", uint64_t{id});
        json.begin_array("buckets");
        for (const model::Histogram::Count& count : profile.stats[id].histogram.counts()) {
            json.begin_element_array();
            json.element(model::bucket_low(count.bucket));
            json.element(model::bucket_width(count.bucket));
            json.element(count.calls);
            json.end_array();
        }
        json.end_array();
        json.end_object();
    }
    json.end_array();
    json.new_line();
}

std::string ending_name(model::Ending ending) {
    switch (ending) {
        case model::Ending::kReturned: return "returned";
        case model::Ending::kUnwound: return "unwound";
        case model::Ending::kProvedDead: return "proved_dead";
        case model::Ending::kOpen: return "open";
    }
    return "";
}

void slowest_member(Json& json, const model::Profile& profile) {
    json.begin_array("slowest_calls");
    for (model::FunctionId id = 0; id < profile.functions.size(); ++id) {
        for (const model::CallInstance& call : profile.stats[id].slowest) {
            json.new_line();
            json.begin_object();
            json.member("function", uint64_t{id});
            json.member("call_path", uint64_t{call.path});
            json.known("thread", call.thread, model::kNone);
            json.member("start_ns", call.start_ns);
            json.member("duration_ns", call.duration_ns);
            json.member("elapsed_ns", call.elapsed_ns);
            json.member("ended_by", ending_name(call.ending));
            json.end_object();
        }
    }
    json.end_array();
    json.new_line();
}

void table_members(Json& json, const Page& page) {
    functions_member(json, page.profile, page.names);
    edges_member(json, page.profile.edges);
}

void tree_members(Json& json, const Page& page) {
    functions_member(json, page.profile, page.names);
    paths_member(json, page.profile);
}

const char* kind_name(model::CallSite::Kind kind) {
    switch (kind) {
        case model::CallSite::Kind::kInCaller: return "line";
        case model::CallSite::Kind::kInlined: return "inlined";
        case model::CallSite::Kind::kElsewhere: return "elsewhere";
    }
    return "";
}

void call_lines_member(Json& json, const Page& page) {
    const CallLines lines = call_lines(page);
    json.begin_array("call_lines");
    for (const model::SiteEdge& edge : lines.edges) {
        const CallSiteName site = edge.place == model::kNone ? CallSiteName() : lines.places[edge.place];
        json.new_line();
        json.begin_object();
        json.known("caller", edge.caller, model::kNone);
        json.member("callee", uint64_t{edge.callee});
        edge.place == model::kNone ? json.null("kind") : json.member("kind", std::string(kind_name(site.kind)));
        json.known("file", site.file);
        json.known("line", uint64_t{site.line}, 0);
        json.known("code", site.code);
        json.member("ncalls", edge.ncalls);
        json.member("primitive_calls", edge.primitive_calls);
        cost_members(json, edge.cost);
        json.end_object();
    }
    json.end_array();
}

void callers_members(Json& json, const Page& page, Direction direction) {
    std::vector<model::Edge> edges = page.profile.edges;  // by caller
    if (direction == Direction::kCallers) std::ranges::stable_sort(edges, {}, &model::Edge::callee);
    functions_member(json, page.profile, page.names);
    edges_member(json, edges);
    if (!page.profile.call_sites.empty()) call_lines_member(json, page);
}

// The head is that of all processes together.
template <typename Members>
void process_documents(std::ostream& out, const Page& total, std::span<const ProcessPage> pages, Members members) {
    print_document(out, total, [&](Json& json) {
        json.begin_array("by_process");
        for (const ProcessPage& page : pages) {
            json.new_line();
            json.begin_object();
            json.key("process");
            process_object(json, page.process());
            page.parent ? json.member("parent", uint64_t{*page.parent}) : json.null("parent");
            json.member("total_calls", page.page.profile.total_calls());
            json.member("primitive_calls", page.page.profile.primitive_calls());
            json.new_line();
            members(json, page.page);
            integrity_member(json, page.page.profile.integrity);
            json.end_object();
        }
        json.end_array();
        json.new_line();
    });
}

}  // namespace

void print_document(std::ostream& out, const Page& page, const std::function<void(Json&)>& members) {
    Json json(out);
    json.begin_object();
    head_members(json, page.profile);
    selection_members(json, page);
    json.new_line();
    members(json);
    integrity_member(json, page.profile.integrity);
    json.begin_array("notes");
    for (const std::string& note : page.notes) json.element(note);
    if (const std::string unknown = unknown_distributions(page.profile); !unknown.empty()) json.element(unknown);
    json.end_array();
    json.end_object();
    json.new_line();
}

void print_json(std::ostream& out, const Page& page) {
    print_document(out, page, [&](Json& json) {
        processes_member(json, page.profile);
        threads_member(json, page.profile);
        table_members(json, page);
    });
}

void print_tree_json(std::ostream& out, const Page& page) {
    print_document(out, page, [&](Json& json) { tree_members(json, page); });
}

void print_callers_json(std::ostream& out, const Page& page, Direction direction) {
    print_document(out, page, [&](Json& json) { callers_members(json, page, direction); });
}

void print_json_by_process(std::ostream& out, const Page& total, std::span<const ProcessPage> pages) {
    process_documents(out, total, pages, table_members);
}

void print_tree_json_by_process(std::ostream& out, const Page& total, std::span<const ProcessPage> pages) {
    process_documents(out, total, pages, tree_members);
}

void print_callers_json_by_process(std::ostream& out, const Page& total, std::span<const ProcessPage> pages, Direction direction) {
    process_documents(out, total, pages, [&](Json& json, const Page& page) { callers_members(json, page, direction); });
}

void print_durations_json(std::ostream& out, const Page& page) {
    print_document(out, page, [&](Json& json) {
        functions_member(json, page.profile, page.names);
        histograms_member(json, page.profile);
    });
}

void print_slowest_json(std::ostream& out, const Page& page) {
    print_document(out, page, [&](Json& json) {
        processes_member(json, page.profile);
        threads_member(json, page.profile);
        tree_members(json, page);
        slowest_member(json, page.profile);
    });
}

}  // namespace fnprof::report

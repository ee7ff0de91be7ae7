// JSON of `diff` and `check-budget`. Times are picoseconds of any size, so that parts add up exactly.
#include "report/budget.h"
#include "report/diff.h"
#include "report/json.h"
#include "report/json_writer.h"

#include <map>
#include <ostream>

namespace fnprof::report {
namespace {

using compare::kA;
using compare::kB;
using compare::Side;
using model::FunctionId;

void strings(Json& json, const char* name, const std::vector<std::string>& values) {
    json.begin_array(name);
    for (const std::string& value : values) json.element(value);
    json.end_array();
}

std::string basis_name(compare::Basis basis) {
    switch (basis) {
        case compare::Basis::kNone:
            break;
        case compare::Basis::kRuns:
            return "runs";
        case compare::Basis::kOneSide:
            return "runs_of_one_side";
        case compare::Basis::kCalls:
            return "calls";
    }
    return {};
}

void estimate_members(Json& json, const compare::Estimate& estimate) {
    json.real("a_ns", estimate.a);
    json.real("b_ns", estimate.b);
    json.known("basis", basis_name(estimate.basis));
    if (estimate.basis == compare::Basis::kNone) {
        for (const char* name : {"low_ns", "high_ns", "distinguishable"}) json.null(name);
        return;
    }
    json.real("low_ns", estimate.interval.low());
    json.real("high_ns", estimate.interval.high());
    json.member("distinguishable", estimate.distinguishable());
}

void parts_member(Json& json, const char* name, const compare::Parts& parts) {
    json.key(name);
    json.begin_object();
    json.picoseconds("a_ps", parts.a_ps);
    json.picoseconds("b_ps", parts.b_ps);
    json.picoseconds("change_ps", parts.change_ps());
    json.picoseconds("count_ps", parts.count_ps);
    parts.mix_known ? json.picoseconds("mix_ps", parts.mix_ps) : json.null("mix_ps");
    json.picoseconds("per_call_ps", parts.per_call_ps);
    json.end_object();
}

void side_member(Json& json, const DiffPage& diff, Side side) {
    const model::Profile& total = diff.comparison.runs.total[side];
    json.key(side == kA ? "a" : "b");
    json.begin_object();
    json.member("runs", uint64_t{diff.comparison.run_count(side)});
    std::vector<std::string> traces;
    for (const model::Process& process : total.processes) traces.push_back(process.trace);
    strings(json, "traces", traces);
    json.member("total_calls", total.total_calls());
    json.picoseconds("total_ps", diff.comparison.total_ps[side]);
    json.member("complete", total.integrity.complete);
    strings(json, "remarks", total.integrity.remarks);
    json.end_object();
    json.new_line();
}

using Callers = std::map<FunctionId, std::map<FunctionId, std::array<const model::Edge*, 2>>>;

void callers_member(Json& json, const DiffPage& diff, FunctionId id, const Callers& callers) {
    const bool raw = diff.comparison.raw;
    json.begin_array("callers");
    const auto found = callers.find(id);
    const auto none = Callers::mapped_type();
    for (const auto& [caller, edges_of] : found == callers.end() ? none : found->second) {
        json.begin_object();
        json.known("caller", caller, model::kNone);
        const std::array<const model::Edge*, 2>& edges = edges_of;  // clang 14 captures no structured binding
        const auto figures = [&](Side side, const char* calls, const char* self, const char* cumulative) {
            const model::Edge uncalled;
            const model::Edge& edge = edges[side] != nullptr ? *edges[side] : uncalled;
            json.member(calls, edge.ncalls);
            json.picoseconds(self, raw ? Picoseconds{edge.cost.self_ns} * 1000 : edge.cost.self_net_ps());
            json.picoseconds(cumulative, raw ? Picoseconds{edge.cost.cumulative_ns} * 1000 : edge.cost.cumulative_net_ps());
        };
        figures(kA, "calls_a", "self_a_ps", "cumulative_a_ps");
        figures(kB, "calls_b", "self_b_ps", "cumulative_b_ps");
        json.end_object();
    }
    json.end_array();
}

Callers callers_of(const DiffPage& diff) {
    Callers out;
    for (const Side side : {kA, kB})
        for (const model::Edge& edge : diff.comparison.runs.total[side].edges) out[edge.callee][edge.caller][side] = &edge;
    return out;
}

void function_object(Json& json, const DiffPage& diff, FunctionId id, const Callers& callers) {
    const compare::FunctionChange& function = diff.comparison.functions[id];
    const Name& name = diff.page.names[id];
    json.begin_object();
    json.member("id", uint64_t{id});
    json.member("name", name.name);
    json.known("mangled", name.mangled);
    json.known("module", name.module);
    json.known("file", name.file);
    json.known("line", name.line, 0);
    json.member("in_a", diff.comparison.runs.in(kA, id));
    json.member("in_b", diff.comparison.runs.in(kB, id));
    json.member("calls_a", function.calls[kA].sum);
    json.member("calls_b", function.calls[kB].sum);
    json.key("explained");
    json.begin_object();
    json.picoseconds("calls_ps", function.explained.calls_ps);
    json.picoseconds("own_ps", function.explained.own_ps);
    json.end_object();
    parts_member(json, "self", function.self);
    parts_member(json, "cumulative", function.cumulative);
    if (function.per_call) {
        json.key("per_call");
        json.begin_object();
        estimate_members(json, *function.per_call);
        json.end_object();
    } else {
        json.null("per_call");
    }
    callers_member(json, diff, id, callers);
    json.end_object();
}

void conditions_member(Json& json, const Names& names, std::span<const JudgedCondition> conditions) {
    json.begin_array("conditions");
    for (const JudgedCondition& judged : conditions) {
        const Condition& condition = judged.condition;
        const bool percent = condition.unit == Unit::kPercent;
        json.new_line();
        json.begin_object();
        json.member("text", condition.text);
        json.member("metric", std::string(name_of(condition.metric)));
        json.known("id", judged.function.value_or(model::kNone), model::kNone);
        json.known("function", judged.function ? names[*judged.function].name : condition.function);
        json.member("unit", std::string(percent ? "percent" : counts(condition.metric) ? "calls" : "ps"));
        judged.figure ? json.real("figure", static_cast<double>(*judged.figure)) : json.null("figure");
        json.real("limit", static_cast<double>(condition.value));
        json.member("holds", judged.holds);
        json.known("remark", judged.remark);
        json.end_object();
    }
    json.end_array();
    json.new_line();
}

}  // namespace

void print_diff_json(std::ostream& out, const DiffPage& diff) {
    Json json(out);
    json.begin_object();
    json.member("schema_version", uint64_t{kJsonSchemaVersion});
    json.member("verdict", verdict(diff));
    json.new_line();
    for (const Side side : {kA, kB}) side_member(json, diff, side);
    json.picoseconds("change_ps", diff.comparison.change_ps());
    json.key("total");
    json.begin_object();
    estimate_members(json, diff.comparison.total);
    json.end_object();
    json.new_line();
    conditions_member(json, diff.page.names, diff.conditions);
    json.begin_array("functions");
    const Callers callers = callers_of(diff);
    for (FunctionId id = 0; id < diff.comparison.functions.size(); ++id) {
        json.new_line();
        function_object(json, diff, id, callers);
    }
    json.end_array();
    json.new_line();
    json.begin_array("probably_renamed");
    for (const Renaming& one : diff.renamed) {
        json.begin_object();
        json.member("a", uint64_t{one.a});
        json.member("b", uint64_t{one.b});
        json.member("same_line", one.same_line);
        json.end_object();
    }
    json.end_array();
    strings(json, "notes", diff.page.notes);
    json.end_object();
    json.new_line();
}

void print_budget_json(std::ostream& out, const Page& page, std::span<const JudgedCondition> conditions) {
    Json json(out);
    json.begin_object();
    json.member("schema_version", uint64_t{kJsonSchemaVersion});
    json.member("verdict", conditions_verdict(conditions));
    json.new_line();
    conditions_member(json, page.names, conditions);
    json.member("complete", page.profile.integrity.complete);
    strings(json, "remarks", page.profile.integrity.remarks);
    strings(json, "notes", page.notes);
    json.end_object();
    json.new_line();
}

}  // namespace fnprof::report

#include "report/json_run.h"

#include "report/json.h"
#include "report/json_document.h"
#include "report/text.h"

namespace fnprof::report {
namespace {

void activity_member(Json& json, const model::Activity& activity) {
    if (activity.empty()) return json.null("activity");
    json.key("activity");
    json.begin_object();
    json.member("start_ns", activity.start_ns());
    json.member("slice_ns", activity.slice_ns());
    json.begin_array("busy_ns");
    for (const uint64_t ns : activity.busy_ns()) json.element(ns);
    json.end_array();
    json.end_object();
}

void modules_member(Json& json, const model::Profile& profile) {
    json.begin_array("modules");
    for (const model::Module& module : profile.modules) {
        json.new_line();
        json.begin_object();
        json.known("path", module.path);
        json.known("build_id", hexadecimal(module.build_id));
        json.end_object();
    }
    json.end_array();
    json.new_line();
}

}  // namespace

void process_object(Json& json, const model::Process& process) {
    json.begin_object();
    json.member("pid", process.pid);
    json.member("parent_pid", process.parent_pid);
    json.known("program", process.program);
    json.known("host", process.host);
    json.member("boot_id", hexadecimal(process.boot_id));
    json.begin_array("arguments");
    for (const std::string& argument : process.arguments) json.element(argument);
    json.end_array();
    json.member("trace", process.trace);
    json.member("wall_start_unix_ns", process.wall_start_unix_ns);
    json.member("start_ns", process.start_ns);
    json.member("end_ns", process.end_ns);
    json.member("clock", std::string(process.clock_counts_ns ? "monotonic" : "tsc"));
    json.member("clock_step_ps", process.clock_step_ps);
    json.member("hook_inner_ps", process.hook_inner_ps);
    json.member("hook_outer_ps", process.hook_outer_ps);
    json.member("ended", process.ended);
    json.member("running", process.fate == model::Fate::kRunning);
    json.member("image", uint64_t{process.image});
    json.known("forked_from", process.fork_parent_pid, 0);
    json.begin_array("fork_stack");
    for (const model::FunctionId function : process.fork_stack) json.element(uint64_t{function});
    json.end_array();
    json.member("marks_on", process.marks_on);
    json.end_object();
}

void processes_member(Json& json, const model::Profile& profile) {
    json.begin_array("processes");
    for (const model::Process& process : profile.processes) {
        json.new_line();
        process_object(json, process);
    }
    json.end_array();
    json.new_line();
}

void threads_member(Json& json, const model::Profile& profile, bool activity) {
    json.begin_array("threads");
    for (const model::Thread& thread : profile.threads) {
        json.new_line();
        json.begin_object();
        json.known("process", thread.process, model::kNone);
        json.member("serial", uint64_t{thread.serial});
        json.signed_member("tid", thread.tid);
        json.known("name", thread.name);
        json.member("start_ns", thread.start_ns);
        json.member("end_ns", thread.end_ns);
        json.member("ncalls", thread.ncalls);
        json.member("busy_ns", thread.busy_ns);
        json.member("gap_ns", thread.gap_ns);
        json.member("lost_ns", thread.lost_ns);
        json.member("lost_events", thread.lost_records);
        json.member("torn_events", thread.torn_records);
        json.member("unmatched_exits", thread.unmatched_exits);
        if (activity) activity_member(json, thread.activity);
        json.end_object();
    }
    json.end_array();
    json.new_line();
}

void integrity_member(Json& json, const model::Integrity& integrity) {
    json.key("integrity");
    json.begin_object();
    json.member("complete", integrity.complete);
    json.member("lost_events", integrity.lost_records);
    json.member("torn_events", integrity.torn_records);
    json.member("damaged_blocks", integrity.damaged_blocks);
    json.member("missing_chunks", integrity.missing_chunks);
    json.member("open_frames", integrity.open_frames);
    json.member("unmatched_exits", integrity.unmatched_exits);
    json.member("unended_processes", integrity.unended_processes);
    json.member("live_events", integrity.live_records);
    json.begin_array("remarks");
    for (const std::string& remark : integrity.remarks) json.element(remark);
    json.end_array();
    json.end_object();
}

void print_threads_json(std::ostream& out, const Page& page) {
    print_document(out, page, [&](Json& json) {
        processes_member(json, page.profile);
        threads_member(json, page.profile, true);
    });
}

void print_info_json(std::ostream& out, const Page& page) {
    print_document(out, page, [&](Json& json) {
        processes_member(json, page.profile);
        threads_member(json, page.profile);
        modules_member(json, page.profile);
    });
}

}  // namespace fnprof::report

// A run of several processes, one report for each.
#pragma once

#include "report/page.h"

#include <iosfwd>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace fnprof::report {

// A page whose profile is of one process, or of one of the programs that it ran, and its place among the others.
struct ProcessPage {
    Page page;
    std::optional<size_t> parent;  // index among the pages; nothing: its parent is not among them
    size_t depth = 0;

    const model::Process& process() const { return page.profile.processes.front(); }
};

// Parents before their children.
std::vector<ProcessPage> in_process_order(std::vector<Page> pages);

// How it came to be: "forked by 4711 in main > serve > spawn_worker".
std::string origin(std::span<const ProcessPage> pages, size_t index);

// How it ended: "ended", "still running", "went on as" the next program, "no end record: killed, _exit or exec".
std::string ending(std::span<const ProcessPage> pages, size_t index);

// The processes and what each weighs, one a line, children indented below their parents. `total` is the page of all of them.
void print_processes(std::ostream& out, const Page& total, std::span<const ProcessPage> pages);

// The line above one process's report.
void print_process_title(std::ostream& out, std::span<const ProcessPage> pages, size_t index);

}  // namespace fnprof::report

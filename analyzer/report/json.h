// The machine's reports: JSON.md describes the schema. Nothing is ever cut; ids are those of the profile, so they agree
// between the documents.
#pragma once

#include "report/by_process.h"
#include "report/callers.h"
#include "report/page.h"

#include <iosfwd>

namespace fnprof::report {

constexpr int kJsonSchemaVersion = 1;

// The whole profile: functions and edges, processes, threads, integrity.
void print_json(std::ostream& out, const Page& page);

// The calling-context tree: functions and call paths.
void print_tree_json(std::ostream& out, const Page& page);

// Functions and edges, those of one callee or of one caller together.
void print_callers_json(std::ostream& out, const Page& page, Direction direction);

// Functions with their histograms.
void print_durations_json(std::ostream& out, const Page& page);

// Functions, call paths, threads, and the slowest calls of each function.
void print_slowest_json(std::ostream& out, const Page& page);

// The same for each process by itself, with ids of its own; `total` is the page of all of them.
void print_json_by_process(std::ostream& out, const Page& total, std::span<const ProcessPage> pages);
void print_tree_json_by_process(std::ostream& out, const Page& total, std::span<const ProcessPage> pages);
void print_callers_json_by_process(std::ostream& out, const Page& total, std::span<const ProcessPage> pages, Direction direction);

// Processes, and threads with their activity; asks for no names.
void print_threads_json(std::ostream& out, const Page& page);

// What the traces know of their run; asks for no names.
void print_info_json(std::ostream& out, const Page& page);

}  // namespace fnprof::report

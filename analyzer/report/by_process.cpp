#include "report/by_process.h"

#include "model/process_tree.h"
#include "report/text.h"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <ostream>

namespace fnprof::report {
namespace {

using model::Process;

std::string program_name(const Process& process) {
    const std::string name = printable(base_name(process.program));
    return name.empty() ? "?" : name;
}

// "main > serve > spawn": the outermost call first; of long stacks both ends.
std::string stack_text(const ProcessPage& page) {
    constexpr size_t kOutermost = 2, kInnermost = 4;
    const std::vector<model::FunctionId>& stack = page.process().fork_stack;
    std::string text;
    for (size_t i = 0; i < stack.size(); ++i) {
        if (stack.size() > kOutermost + kInnermost && i == kOutermost) {
            i = stack.size() - kInnermost;
            text += " > ...";
        }
        constexpr size_t kNameColumns = 60;
        text += (text.empty() ? "" : " > ") + printable(cut_name(page.page.names[stack[i]].name, kNameColumns));
    }
    return text;
}

// The program that the process went on to, if its trace is there.
const ProcessPage* next_program(std::span<const ProcessPage> pages, size_t index) {
    const ProcessPage* next = nullptr;
    for (const ProcessPage& other : pages)
        if (model::is_exec(pages[index].process(), other.process()) &&
            (next == nullptr || other.process().image < next->process().image))
            next = &other;
    return next;
}

}  // namespace

std::vector<ProcessPage> in_process_order(std::vector<Page> pages) {
    std::vector<const Process*> processes;
    for (const Page& page : pages) processes.push_back(&page.profile.processes.front());
    std::vector<ProcessPage> out;
    for (const model::ProcessNode& node : model::process_tree(processes))
        out.push_back({pages[node.process], node.parent, node.depth});
    return out;
}

std::string origin(std::span<const ProcessPage> pages, size_t index) {
    const ProcessPage& page = pages[index];
    const Process& process = page.process();
    const Process* parent = page.parent ? &pages[*page.parent].process() : nullptr;
    if (parent != nullptr && model::is_exec(*parent, process))
        return fmt::format("executed by {} in its own place", program_name(*parent));
    if (process.fork_parent_pid != 0) {
        const std::string stack = stack_text(page);
        return fmt::format("forked by {}{}{}", process.fork_parent_pid, stack.empty() ? "" : " in " + stack,
                           parent == nullptr ? ", whose trace is not here" : "");
    }
    if (process.image != 0) return "executed by a program of the same process, whose trace is not here";
    if (parent != nullptr) return fmt::format("started by {}", parent->pid);
    return fmt::format("child of {}", process.parent_pid);
}

std::string ending(std::span<const ProcessPage> pages, size_t index) {
    if (const ProcessPage* next = next_program(pages, index); next != nullptr && !pages[index].process().ended)
        return "went on as " + program_name(next->process());
    switch (pages[index].process().fate) {
        case model::Fate::kEnded:
            return "ended";
        case model::Fate::kRunning:
            return "still running";
        case model::Fate::kGone:
            return "no end record: killed, _exit or exec";
        case model::Fate::kUnknown:
            break;
    }
    return "no end record: killed, _exit, exec or still running";
}

void print_processes(std::ostream& out, const Page& total, std::span<const ProcessPage> pages) {
    Grid grid({"      pid", "calls", "tottime", "self%", "threads", "program"});
    for (size_t i = 0; i < pages.size(); ++i) {
        const ProcessPage& page = pages[i];
        const Picoseconds self_ps = std::max<Picoseconds>(page.page.figures.total_ps(), 0);
        constexpr size_t kMostIndented = 40;
        grid.add({fmt::format("   {}", page.process().pid), fmt::format("{}", page.page.profile.total_calls()),
                  format_time(self_ps), format_percent(self_ps, total.figures.total_ps()),
                  fmt::format("{}", page.page.profile.threads.size()),
                  fmt::format("{}{}: {}; {}", std::string(2 * std::min(page.depth, kMostIndented), ' '),
                              program_name(page.process()), origin(pages, i), ending(pages, i))});
    }
    grid.print(out, total);
}

void print_process_title(std::ostream& out, std::span<const ProcessPage> pages, size_t index) {
    const Process& process = pages[index].process();
    const std::string title = fmt::format("{} (pid {}, parent {}): {}; {}", program_name(process), process.pid,
                                          process.parent_pid, origin(pages, index), ending(pages, index));
    fmt::print(out, "\n{}\n{}\n", inked(pages[index].page, Ink::kTitle, title), std::string(std::min<size_t>(columns(title), 80), '='));
}

}  // namespace fnprof::report

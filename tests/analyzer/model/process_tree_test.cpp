#include "model/process_tree.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace fnprof::model;

namespace {

Process process(uint64_t pid, uint64_t parent_pid, uint64_t start, uint32_t image = 0) {
    Process one;
    one.pid = pid;
    one.parent_pid = parent_pid;
    one.process_start = start;
    one.wall_start_unix_ns = one.start_ns = start * 1000 + image;
    one.image = image;
    return one;
}

Process forked(uint64_t pid, uint64_t from, uint64_t from_start, uint64_t start) {
    Process one = process(pid, from, start);
    one.fork_parent_pid = from;
    one.fork_parent_start = from_start;
    return one;
}

// "1 .2 ..3": pids in order, a dot for each ancestor.
std::string order(const std::vector<Process>& processes) {
    std::vector<const Process*> pointers;
    for (const Process& one : processes) pointers.push_back(&one);
    std::string text;
    for (const ProcessNode& node : process_tree(pointers)) {
        text += (text.empty() ? "" : " ") + std::string(node.depth, '.') + std::to_string(processes[node.process].pid);
        if (processes[node.process].image != 0) text += "'";
    }
    return text;
}

}  // namespace

TEST_CASE("processes stand behind their parents, siblings in the order of their starts") {
    CHECK(order({}).empty());
    CHECK(order({process(3, 1, 30), process(2, 1, 20), forked(4, 2, 20, 40), process(1, 0, 10), process(5, 4, 50)}) == "1 .2 ..4 ...5 .3");
}

TEST_CASE("a program comes from the one that ran before it in the same process, its children from the last one before them") {
    CHECK(order({process(2, 1, 20, 1), process(2, 1, 20), process(1, 0, 10)}) == "1 .2 ..2'");
    Process late = process(3, 2, 30);
    CHECK(order({process(2, 1, 20, 1), process(2, 1, 20), late}) == "2 .2' ..3");
}

TEST_CASE("a process number that was used again is no parent, nor one of another boot") {
    CHECK(order({process(2, 1, 50), process(3, 2, 20)}) == "3 2");
    CHECK(order({forked(3, 2, 10, 30), process(2, 1, 20)}) == "2 3");
    Process elsewhere = process(1, 0, 10);
    elsewhere.boot_id[0] = 1;
    CHECK(order({elsewhere, process(2, 1, 20)}) == "1 2");
}

TEST_CASE("traces that are each other's parents lead in no circle") {
    CHECK(order({forked(2, 3, 20, 20), forked(3, 2, 20, 20)}) == "2 .3");
    CHECK(order({process(2, 2, 20), process(2, 2, 20)}) == "2 2");
}

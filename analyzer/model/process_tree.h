// Which of the processes of a run began which others.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "model/profile.h"

namespace fnprof::model {

struct ProcessNode {
    size_t process = 0;            // index among the given ones
    std::optional<size_t> parent;  // index among the nodes; nothing: it is not among the given ones
    size_t depth = 0;
};

// All of them, each behind the one that it came from: the program that the same process ran before it went on by exec; else the process
// that forked it; else its parent process. Siblings in the order of their starts.
std::vector<ProcessNode> process_tree(std::span<const Process* const> processes);

// Whether `later` is a program that the same process ran after `earlier`.
bool is_exec(const Process& earlier, const Process& later);

}  // namespace fnprof::model

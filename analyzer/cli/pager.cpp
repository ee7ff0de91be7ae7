#include "cli/pager.h"

#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <iostream>
#include <sstream>
#include <string>

namespace fnprof::cli {
namespace {

bool is_installed(const std::string& program) {
    const char* path = std::getenv("PATH");
    std::istringstream directories(path == nullptr ? "" : path);
    for (std::string directory; std::getline(directories, directory, ':');)
        if (access((directory + "/" + program).c_str(), X_OK) == 0) return true;
    return false;
}

// A shell command; empty: no pager.
std::string wanted_pager() {
    for (const char* name : {"FNPROF_PAGER", "PAGER"})
        if (const char* value = std::getenv(name)) return std::string(value) == "cat" ? "" : value;
    return is_installed("less") ? "less" : "";
}

}  // namespace

Pager::Pager(const Options& options) {
    const char* terminal = std::getenv("TERM");
    if (options.json || options.no_pager || isatty(STDOUT_FILENO) == 0 || terminal == nullptr || std::string(terminal) == "dumb") return;
    const std::string command = wanted_pager();
    if (command.empty()) return;
    // Leave at once what fits on a screen, keep colours, do not clear the screen; as git sets it.
    setenv("LESS", "FRX", 0);
    std::cout.flush();
    pipe_ = popen(command.c_str(), "we");
    if (pipe_ == nullptr) return;
    terminal_ = dup(STDOUT_FILENO);
    dup2(fileno(pipe_), STDOUT_FILENO);
    // Ctrl-C is for the pager, and who leaves it early wants no more.
    std::signal(SIGINT, SIG_IGN);
}

Pager::~Pager() {
    if (pipe_ == nullptr) return;
    std::cout.flush();
    dup2(terminal_, STDOUT_FILENO);
    close(terminal_);
    pclose(pipe_);
}

}  // namespace fnprof::cli

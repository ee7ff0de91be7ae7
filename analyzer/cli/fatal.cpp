#include "cli/fatal.h"

#include <boost/stacktrace.hpp>

#include <unistd.h>
#include <array>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <string_view>

namespace fnprof::cli {
namespace {

constexpr std::array<int, 4> kSignals{SIGSEGV, SIGBUS, SIGFPE, SIGILL};
constexpr size_t kSignalStackBytes = 256 * 1024;  // symbolizing needs far more than SIGSTKSZ
constexpr unsigned kPatience = 10;                // seconds

void print_stack(std::string_view cause) {
    std::cerr << "fnprof-analyze: internal error: " << cause << "\n"
              << "This is a bug of fnprof; please report it with the lines below and, if you can, the trace.\n"
              << boost::stacktrace::stacktrace() << std::flush;
}

// Naming frames allocates, which is not allowed in a signal handler: it works unless the heap itself is what broke. The
// alarm ends the process should it hang, and the default action, restored on entry, should it crash again.
void on_signal(int signal) {
    alarm(kPatience);
    print_stack(signal == SIGSEGV  ? "segmentation fault"
                : signal == SIGBUS ? "bus error (was a file cut short while it was read?)"
                : signal == SIGFPE ? "arithmetic error"
                                   : "illegal instruction");
    raise(signal);
}

[[noreturn]] void on_terminate() {
    try {
        if (const std::exception_ptr current = std::current_exception()) std::rethrow_exception(current);
        print_stack("terminated");
    } catch (const std::exception& error) {
        print_stack(error.what());
    } catch (...) {
        print_stack("an exception of unknown type");
    }
    std::abort();
}

}  // namespace

void install_fatal_report() {
    std::set_terminate(on_terminate);
    static std::array<char, kSignalStackBytes> stack;
    stack_t alternative{};
    alternative.ss_sp = stack.data();
    alternative.ss_size = stack.size();
    sigaltstack(&alternative, nullptr);
    struct sigaction action {};
    action.sa_handler = on_signal;
    action.sa_flags = static_cast<int>(SA_ONSTACK | SA_RESETHAND | SA_NODEFER);
    for (const int signal : kSignals) sigaction(signal, &action, nullptr);
}

}  // namespace fnprof::cli

#include "cli/interrupt.h"

#include <csignal>

namespace fnprof::cli {
namespace {

volatile std::sig_atomic_t interrupt_pending = 0;

void on_interrupt(int) { interrupt_pending = 1; }

}  // namespace

void remember_interrupts() {
    struct sigaction action {};
    action.sa_handler = on_interrupt;
    sigaction(SIGINT, &action, nullptr);
}

bool interrupted() { return interrupt_pending != 0; }

void forget_interrupt() { interrupt_pending = 0; }

InterruptibleOutput::Buffer::int_type InterruptibleOutput::Buffer::overflow(int_type c) {
    if (traits_type::eq_int_type(c, traits_type::eof())) return traits_type::not_eof(c);
    const char letter = traits_type::to_char_type(c);
    return xsputn(&letter, 1) == 1 ? c : traits_type::eof();
}

std::streamsize InterruptibleOutput::Buffer::xsputn(const char* text, std::streamsize size) {
    if (interrupted()) throw Interrupted();
    return target_.write(text, size) ? size : 0;
}

int InterruptibleOutput::Buffer::sync() { return target_.flush() ? 0 : -1; }

}  // namespace fnprof::cli

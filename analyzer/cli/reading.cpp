#include "cli/reading.h"

#include "report/text.h"

#include <fmt/format.h>

#include <unistd.h>

#include <chrono>
#include <cstdio>

namespace fnprof::cli {
namespace {

constexpr uint64_t kPatienceNs = 1'000'000'000;  // what is quicker needs no line
constexpr uint64_t kEveryNs = 200'000'000;

volatile std::sig_atomic_t interrupt_noted = 0;

void note_interrupt(int) { interrupt_noted = 1; }

uint64_t now_ns() {
    return static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch()).count());
}

std::string scaled(double count) {
    if (count < 1e3) return fmt::format("{:.0f}", count);
    if (count < 1e6) return fmt::format("{:.1f}k", count / 1e3);
    if (count < 1e9) return fmt::format("{:.1f}M", count / 1e6);
    return fmt::format("{:.1f}G", count / 1e9);
}

}  // namespace

InterruptNote::InterruptNote() {
    interrupt_noted = 0;
    struct sigaction action {};
    action.sa_handler = note_interrupt;
    action.sa_flags = static_cast<int>(SA_RESETHAND | SA_RESTART);
    sigaction(SIGINT, nullptr, &before_);
    // Whoever started this with SIGINT ignored (a shell's background job) wants it to be.
    if (before_.sa_handler != SIG_IGN) sigaction(SIGINT, &action, nullptr);
}

InterruptNote::~InterruptNote() { sigaction(SIGINT, &before_, nullptr); }

bool InterruptNote::noted() { return interrupt_noted != 0; }

ReadingProgress::ReadingProgress() : terminal_(isatty(STDERR_FILENO) != 0), began_ns_(now_ns()) {}

ReadingProgress::~ReadingProgress() {
    if (shown_ns_ != 0) fmt::print(stderr, "\r\033[K");
}

void ReadingProgress::update(const model::ReadSoFar& read) {
    if (!terminal_) return;
    const uint64_t now = now_ns();
    if (path_ != read.path) {
        path_ = read.path;
        path_began_ns_ = now;
    }
    if (now - began_ns_ < kPatienceNs || now - shown_ns_ < kEveryNs) return;
    shown_ns_ = now;
    fmt::print(stderr, "\r\033[K{}", progress_text(read, now - path_began_ns_));
    std::fflush(stderr);
}

std::string progress_text(const model::ReadSoFar& read, uint64_t elapsed_ns) {
    const double share = read.total == 0 ? 1 : static_cast<double>(read.done) / static_cast<double>(read.total);
    const double rate = elapsed_ns == 0 ? 0 : static_cast<double>(read.done) * 1e9 / static_cast<double>(elapsed_ns);
    std::string text = fmt::format("{}: {:.0f}% of {} records", report::printable(read.path), 100 * share, scaled(static_cast<double>(read.total)));
    if (rate > 0) {
        const double left_s = static_cast<double>(read.total - read.done) / rate;
        text += fmt::format(", {}/s, {:.0f}s left", scaled(rate), left_s);
    }
    return text;
}

}  // namespace fnprof::cli

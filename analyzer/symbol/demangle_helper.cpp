#include "symbol/demangle_helper.h"

#include "symbol/demangle.h"

#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <vector>

namespace fnprof::symbol {
namespace {

constexpr size_t kLongestName = 65536;  // one message on the socket
constexpr int kPatienceMs = 1000;       // real names of 5,000 letters take a millisecond
constexpr rlim_t kMemory = 64U << 20;   // for one expansion; 735 KB is the longest seen in a real program
constexpr int kFailuresTolerated = 3;   // then the trace is hostile and its long names stay mangled

rlim_t address_space() {
    FILE* file = std::fopen("/proc/self/statm", "re");
    unsigned long pages = 0;
    const bool read = file != nullptr && std::fscanf(file, "%lu", &pages) == 1;
    if (file != nullptr) std::fclose(file);
    return read ? static_cast<rlim_t>(pages) * static_cast<rlim_t>(sysconf(_SC_PAGESIZE)) : 0;
}

// The child: answers each name with its demangled form until the other end is closed.
[[noreturn]] void serve(int socket) {
    std::signal(SIGSEGV, SIG_DFL);  // no report of a bug of ours if the demangler fails
    if (const rlim_t now = address_space(); now != 0) {
        const rlimit limit{now + kMemory, now + kMemory};
        setrlimit(RLIMIT_AS, &limit);
    }
    std::vector<char> name(kLongestName);
    for (;;) {
        const ssize_t length = recv(socket, name.data(), name.size(), 0);
        if (length < 0 && errno == EINTR) continue;
        if (length <= 0) _exit(0);
        const std::string text = demangle_here({name.data(), static_cast<size_t>(length)});
        if (send(socket, text.data(), text.size(), MSG_NOSIGNAL) < 0) _exit(1);
    }
}

bool readable_in_time(int socket) {
    pollfd wanted{socket, POLLIN, 0};
    int ready = 0;
    do ready = poll(&wanted, 1, kPatienceMs);
    while (ready < 0 && errno == EINTR);
    return ready > 0;
}

}  // namespace

bool DemangleHelper::start() {
    std::array<int, 2> ends{};
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0) return false;
    child_ = fork();
    if (child_ == 0) {
        close(ends[0]);
        serve(ends[1]);
    }
    close(ends[1]);
    socket_ = ends[0];
    if (child_ > 0) return true;
    stop();
    failures_ = kFailuresTolerated;
    return false;
}

void DemangleHelper::stop() {
    if (socket_ >= 0) close(socket_);
    if (child_ > 0) {
        kill(child_, SIGKILL);
        waitpid(child_, nullptr, 0);
    }
    socket_ = -1;
    child_ = -1;
}

std::string DemangleHelper::demangle(std::string_view mangled) {
    if (mangled.size() <= kLongestName && failures_ < kFailuresTolerated && (child_ > 0 || start())) {
        std::string text(kDemangledLimit + 4, '\0');
        if (send(socket_, mangled.data(), mangled.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(mangled.size()) &&
            readable_in_time(socket_)) {
            const ssize_t length = recv(socket_, text.data(), text.size(), 0);
            if (length > 0) {
                text.resize(static_cast<size_t>(length));
                return text;
            }
        }
        stop();
        ++failures_;
    }
    return std::string(mangled.substr(0, kDemangledLimit));
}

}  // namespace fnprof::symbol

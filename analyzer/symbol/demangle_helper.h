// Demangling with limits, in a process of its own.
//
// A mangled name can refer back to its own parts: ten letters more can double what it stands for, so 300 letters expand to
// gigabytes. The C++ library's demangler has no limit and cannot be stopped; after a failed allocation it goes on for as
// long. So names that could do that are demangled by a child process that may take kPatience and kMemory for each and is
// killed when it takes more. It is started with the first such name, serves all of them, and ends with this process.
#pragma once

#include <sys/types.h>
#include <string>
#include <string_view>

namespace fnprof::symbol {

// In this process, whatever it costs; the result is cut to kDemangledLimit.
std::string demangle_here(std::string_view mangled);

class DemangleHelper {
  public:
    DemangleHelper() = default;
    ~DemangleHelper() { stop(); }
    DemangleHelper(const DemangleHelper&) = delete;
    DemangleHelper& operator=(const DemangleHelper&) = delete;

    // `mangled` itself, cut to kDemangledLimit, where the limits do not suffice.
    std::string demangle(std::string_view mangled);

  private:
    bool start();
    void stop();

    pid_t child_ = -1;
    int socket_ = -1;
    int failures_ = 0;
};

}  // namespace fnprof::symbol

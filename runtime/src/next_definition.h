// The definition behind one of ours: what a wrapped function goes on to, which is what its caller would have had without us.
//
// Which one that is depends on the caller. All that came with the program see the same: the next one in the loader's search
// order. A plugin may bring a C++ library of its own, seen by itself alone (RTLD_LOCAL, RTLD_DEEPBIND, or inside of it), and
// each plugin another one: what one library has thrown must not be caught with another's functions. Plugins come and go with all that
// they brought, at the same addresses.
//
// The loader is not asked, for the reasons in loaded_modules.h, but where the kernel forbids a process to read its own memory by
// system call.
//
// Context: any; signal-safe.
#pragma once

#include <atomic>
#include <cstdint>

namespace fnprof::rt {

// Of a function that is the same for every caller: one of the C library, or of what stands in front of it.
class NextDefinition {
  public:
    constexpr explicit NextDefinition(const char* name) : name_(name) {}

    // Context: constructor. Beforehand, so that calls cost nothing and need no system call.
    void resolve();

    // Never null: where there is no next definition, the process ends here as it does for an uncaught exception.
    template <class Function>
    Function* get(const void*) {
        return reinterpret_cast<Function*>(find());
    }

  private:
    uint64_t find();

    const char* name_;
    std::atomic<uint64_t> found_{0};
};

// Of a function of the C++ library or the unwinder, of which modules may have their own.
class NextDefinitionOfModule {
  public:
    constexpr explicit NextDefinitionOfModule(const char* name) : name_(name) {}

    // For callers that came with the program. Context: constructor.
    void resolve();

    // Never null, as above. `caller`: an address in the module that calls.
    template <class Function>
    Function* get(const void* caller) {
        return reinterpret_cast<Function*>(find(caller));
    }

    // A module has gone.
    void forget();

  private:
    // What one module goes on to: a definition in the library that begins at `start`. Written by any thread without a lock.
    // Invariant: an entry is whole if `check` is the caller's fingerprint ^ found ^ start.
    struct Known {
        std::atomic<uint64_t> check{0}, found{0}, start{0};
    };
    static constexpr unsigned kKnown = 64;

    uint64_t find(const void* caller);

    const char* name_;
    uint64_t with_program_ = 0;
    Known known_[kKnown];
};

// Whether the module at this address came with the program, to stay to its end.
bool came_with_program(const void* address);

// Whether the function at this address is a sanitizer's, which stands in front of ours and goes on to it as we do to the next; or that
// of the copy of this library in another namespace, which makes the records there.
bool hands_on(uint64_t address);

// Whether the loader finds our definition before any other. Context: constructor.
bool is_found_first(const char* name, const void* ours);

}  // namespace fnprof::rt

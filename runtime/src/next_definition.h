// The definition behind one of ours: what a wrapped function goes on to.
//
// Context: any in which the loader may be asked; resolve() beforehand for functions that are called elsewhere.
#pragma once

#include <atomic>

namespace fnprof::rt {

class NextDefinition {
  public:
    constexpr explicit NextDefinition(const char* name) : name_(name) {}

    // Never null: where there is no next definition, the process ends here as it does for an uncaught exception.
    template <class Function>
    Function* get(const void* caller) {
        void* found = found_.load(std::memory_order_acquire);
        if (found == nullptr) found = resolve(caller);
        if (found == nullptr) die();
        return reinterpret_cast<Function*>(found);
    }

    // Looks the name up behind our own library; failing that (a C program with a C++ plugin opened RTLD_LOCAL) among what the
    // caller's module sees. Null when there is none.
    void* resolve(const void* caller);

  private:
    // Says what is missing. A program that was linked with libfnprof.so.0 itself instead of -lfnprof, and with
    // -static-libstdc++ or -static-libgcc, has no other definition: there is nothing to go on to, and no way back.
    [[noreturn]] void die() const;

    const char* name_;
    std::atomic<void*> found_{nullptr};
};

// The definition that the loader finds first for the program; null when there is none. Context: as above.
const void* first_definition(const char* name);

}  // namespace fnprof::rt

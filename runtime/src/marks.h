// Marks: records of the moments at which frames die without their exit hook: an exception that propagates, a handler that gets
// control, a longjmp, a thread's forced end. clang emits no exit hook on a frame that a throw unwinds, no compiler does for a
// longjmp, and nothing in the enters and exits that follow tells a dead frame from a live one.
//
// The functions that make it happen are wrapped: by interposition in the shared library, by ld's --wrap in static links.
//
// Context: any thread; signal-safe as far as the wrapped function is.
#pragma once

#include "../format/layout.h"
#include <cstdint>

// Records a mark if the thread has made records before: without any there is no frame to mark. A C name, since the archive's
// wrappers are objects of their own.
extern "C" __attribute__((visibility("hidden"))) void fnprof_record_mark(fnprof::format::Kind kind, uint64_t function, uint64_t site,
                                                                         uint64_t stack);

namespace fnprof::rt {

// jmp_buf of x86-64 glibc: 8 words; [6] is the stack pointer after the return from setjmp, [7] the address it returns to,
// both mangled (exclusive or with the pointer guard at %fs:0x30, then rotated left by 17).
__attribute__((always_inline)) inline void record_jump(const void* buffer, uint64_t site) {
    uint64_t guard;
    __asm__("movq %%fs:0x30, %0" : "=r"(guard));
    const auto demangle = [guard](uint64_t word) __attribute__((always_inline)) { return (word >> 17 | word << 47) ^ guard; };
    auto* words = static_cast<const uint64_t*>(buffer);
    fnprof_record_mark(format::Kind::kLongjmp, demangle(words[7]), site, demangle(words[6]));
}

}  // namespace fnprof::rt

#include "thread_stack.h"

#include "identity.h"
#include "sys.h"

namespace fnprof::rt {

namespace {

constexpr uint64_t kPageBytes = 4096;

// glibc puts a thread's descriptor (2,304 bytes in 2.36), which the thread pointer points to, at the high end of its stack, its own
// or one given by pthread_attr_setstack.
constexpr uint64_t kMostDescriptorBytes = 8192;
constexpr uint64_t kLeastStackBytes = 16384;  // PTHREAD_STACK_MIN
constexpr uint64_t kLeastAddress = 65536;     // the kernel's usual vm.mmap_min_addr

// Of the first thread's stack, what is looked at if there is no limit on it.
constexpr uint64_t kMostKernelStackBytes = uint64_t{128} << 20;

// Below the first thread's stack the kernel keeps only its limit free: where the stack begins is random, and can leave nothing more
// (mmap_base of arch/x86/mm/mmap.c).
StackBounds kernel_stack() {
    ProcessStat stat;
    if (!read_own_stat(stat) || stat.start_stack == 0) return {};
    const uint64_t limit = sys::stack_limit();
    return {stat.start_stack - (limit < kMostKernelStackBytes ? limit : kMostKernelStackBytes), stat.start_stack};
}

}  // namespace

// The descriptor's further layout is glibc's own business, but no other two words of it can look like that.
StackBounds find_stack_block(uint64_t thread_pointer, const uint64_t* words, size_t count) {
    // What every descriptor of glibc begins with (tcbhead_t): itself, the vector of thread-local blocks, itself.
    if (count < 3 || words[0] != thread_pointer || words[2] != thread_pointer) return {};
    for (size_t i = 0; i + 1 < count; i++) {
        const uint64_t low = words[i], size = words[i + 1];
        if (low < kLeastAddress || low >= thread_pointer || size < kLeastStackBytes || size > thread_pointer) continue;
        const uint64_t high = low + size;
        if (high > thread_pointer && high - thread_pointer <= kMostDescriptorBytes) return {low, high};
    }
    return {};
}

StackBounds own_stack_bounds() {
    const uint64_t here = reinterpret_cast<uint64_t>(__builtin_frame_address(0));
    const uint64_t descriptor = sys::thread_pointer();
    // Not beyond the page that the thread pointer points into: a thread made by a raw clone may have nothing behind it.
    const uint64_t readable = kPageBytes - descriptor % kPageBytes;
    if (descriptor == 0) return {};
    StackBounds bounds = find_stack_block(descriptor, reinterpret_cast<const uint64_t*>(descriptor), readable / sizeof(uint64_t));
    if (bounds.high == 0) bounds = kernel_stack();
    // Elsewhere it is on a fiber, or it is a thread that libc did not make and that has another one's descriptor.
    const bool believed = (here >= bounds.low && here < bounds.high) || sys::on_signal_stack();
    return believed ? bounds : StackBounds{};
}

}  // namespace fnprof::rt

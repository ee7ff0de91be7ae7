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

// The kernel maps nothing by itself within 128 MiB below the top of the first thread's stack (MIN_GAP of arch/x86/mm/mmap.c), whatever
// the limit on it is.
constexpr uint64_t kKernelStackBytes = uint64_t{128} << 20;

StackBounds kernel_stack_around(uint64_t address) {
    ProcessStat stat;
    if (!read_own_stat(stat) || stat.start_stack == 0) return {};
    const StackBounds bounds{stat.start_stack - kKernelStackBytes, stat.start_stack};
    return address >= bounds.low && address < bounds.high ? bounds : StackBounds{};
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
    const StackBounds bounds = find_stack_block(descriptor, reinterpret_cast<const uint64_t*>(descriptor), readable / sizeof(uint64_t));
    if (bounds.high == 0) return kernel_stack_around(here);
    // A thread whose first call is made on a fiber.
    return here >= bounds.low && here < bounds.high ? bounds : StackBounds{};
}

}  // namespace fnprof::rt

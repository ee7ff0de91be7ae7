// Whatever a file claims, reading it takes no more memory than this.
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>
#include <sys/resource.h>

#include <cstdio>

namespace {

// Sanitizers reserve terabytes of address space and only use what they need.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kSanitized = true;
#elif defined(__has_feature)
constexpr bool kSanitized = __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer);
#else
constexpr bool kSanitized = false;
#endif

constexpr rlim_t kAddressSpace = rlim_t{512} << 20;

}  // namespace

int main(int argc, char** argv) {
    const rlimit limit{kAddressSpace, kAddressSpace};
    if (!kSanitized && setrlimit(RLIMIT_AS, &limit) != 0) {
        std::perror("setrlimit");
        return 1;
    }
    return doctest::Context(argc, argv).run();
}

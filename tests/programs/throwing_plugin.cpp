// A plugin whose entry throws, in a function whose name is given (THROWER), through another one, and catches by a base class.
#include <stdexcept>
#include <string>

#define NOINLINE __attribute__((noinline))
extern "C" {
static volatile long calls;
NOINLINE void THROWER(int number) {
    calls = calls + 1;
    throw std::runtime_error(std::to_string(number));
}
NOINLINE void through(int number) {
    std::string unwound("unwound");
    THROWER(number);
    calls = calls + static_cast<long>(unwound.size());
}
NOINLINE void handled() { calls = calls + 1; }
__attribute__((visibility("default"))) NOINLINE int plugin_entry(int number) {
    try {
        try {
            through(number);
        } catch (const std::logic_error &) {
            return -1;
        }
    } catch (const std::exception &error) {
        handled();
        return std::stoi(error.what());
    }
    return -2;
}
}

// Named threads with phases, functions in namespaces and classes, recursion and a template: what there is to select from.
// main computes and runs two workers; each of them does three rounds of a step and a rest of 5 ms. The counts are the same in each run.
#include <pthread.h>
#include <time.h>

namespace engine {

static volatile unsigned sink;

void tick() { sink = sink + 1; }

void spin(unsigned rounds) {
    for (unsigned i = 0; i < rounds; ++i) tick();
}

namespace detail {
unsigned depth_of(unsigned n) { return n == 0 ? 0 : 1 + depth_of(n - 1); }
}  // namespace detail

template <class T>
T twice(T value) {
    spin(100);
    return value + value;
}

class Job {
  public:
    explicit Job(unsigned rounds) : rounds_(rounds) {}
    void step() {
        spin(200);
        twice(rounds_);
        detail::depth_of(20);
    }

  private:
    unsigned rounds_;
};

}  // namespace engine

void rest() {
    const timespec pause{0, 5000000};
    nanosleep(&pause, nullptr);
}

void* worker(void*) {
    engine::Job job(3);
    for (int i = 0; i < 3; ++i) {
        job.step();
        rest();
    }
    return nullptr;
}

// The name is there before the first record.
__attribute__((no_instrument_function)) void* named(void* name) {
    pthread_setname_np(pthread_self(), static_cast<const char*>(name));
    return worker(name);
}

int main() {
    engine::spin(1000);
    char first[] = "worker-a", second[] = "worker-b";
    pthread_t threads[2];
    if (pthread_create(&threads[0], nullptr, named, first) != 0) return 1;
    if (pthread_create(&threads[1], nullptr, named, second) != 0) return 1;
    for (pthread_t thread : threads) pthread_join(thread, nullptr);
    engine::spin(500);
    return 0;
}

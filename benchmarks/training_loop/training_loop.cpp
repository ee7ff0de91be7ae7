// A training loop that is slower than it should be. Its author suspects the model; the profile says otherwise: four fifths
// of the time go into loading the same pictures again in every epoch. `--memoize` keeps them after the first.
//
//   training_loop [--memoize]
//
// Prints the mean loss of each epoch (the same with and without --memoize) and, on standard error, the time it took.
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <stdexcept>
#include <string>

#include "dataset.h"
#include "model.h"

namespace {

constexpr size_t kPictures = 800;
constexpr size_t kClasses = 8;
constexpr size_t kHidden = 20;
constexpr size_t kBatchSize = 32;
constexpr int kEpochs = 6;

class TemporaryFile {
  public:
    TemporaryFile() : path((std::filesystem::temp_directory_path() / "pictures_XXXXXX").string()) {
        const int descriptor = mkstemp(path.data());
        if (descriptor < 0) throw std::runtime_error("cannot make a temporary file");
        close(descriptor);
    }
    ~TemporaryFile() { std::remove(path.c_str()); }
    TemporaryFile(const TemporaryFile&) = delete;
    TemporaryFile& operator=(const TemporaryFile&) = delete;

    std::string path;
};

float train_batch(Model& model, Optimizer& optimizer, const Batch& batch) {
    optimizer.zero_grad();
    const float loss = model.forward_backward(batch);
    optimizer.step();
    return loss;
}

float train_epoch(Model& model, Optimizer& optimizer, DataLoader& loader) {
    float loss = 0;
    for (size_t batch = 0; batch < loader.batch_count(); ++batch) {
        loss += train_batch(model, optimizer, loader.next_batch(batch));
    }
    return loss / static_cast<float>(loader.batch_count() * kBatchSize);
}

void train(PictureDataset& dataset) {
    DataLoader loader(dataset, kBatchSize);
    Model model(PictureDataset::feature_count(), kHidden, kClasses);
    Optimizer optimizer(model.parameters());
    Scheduler scheduler(optimizer, 0.02f);
    for (int epoch = 0; epoch < kEpochs; ++epoch) {
        loader.shuffle(static_cast<uint64_t>(epoch));
        const float loss = train_epoch(model, optimizer, loader);
        scheduler.step();
        std::printf("epoch %d: loss %.6f\n", epoch + 1, static_cast<double>(loss));
    }
}

}  // namespace

int main(int argc, char** argv) {
    const bool memoize = argc == 2 && std::strcmp(argv[1], "--memoize") == 0;
    if (argc > 2 || (argc == 2 && !memoize)) {
        std::fprintf(stderr, "usage: training_loop [--memoize]\n");
        return 2;
    }
    try {
        const TemporaryFile pictures;
        write_pictures(pictures.path, kPictures, kClasses);
        PictureDataset dataset(pictures.path, kPictures, kClasses, memoize);
        const auto start = std::chrono::steady_clock::now();
        train(dataset);
        const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
        std::fprintf(stderr, "trained in %.3f s\n", elapsed.count());
    } catch (const std::exception& error) {
        std::fprintf(stderr, "training_loop: %s\n", error.what());
        return 1;
    }
    return 0;
}

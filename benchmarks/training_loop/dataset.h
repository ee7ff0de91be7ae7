// A file of labelled pictures in the plain-text PGM format, and the way from there to the tensor that the model wants.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

struct Image {
    size_t width = 0;
    size_t height = 0;
    std::vector<uint8_t> pixels;
};

struct Sample {
    std::vector<float> features;
    size_t label = 0;
};

// Draws `count` noisy pictures of stripes, one direction a class, into the file `path`.
void write_pictures(const std::string& path, size_t count, size_t classes);

class PictureDataset {
  public:
    // With memoize, each item is loaded once and kept.
    PictureDataset(std::string path, size_t count, size_t classes, bool memoize);

    size_t size() const { return count_; }
    Sample get_item(size_t index);

    static size_t feature_count();

  private:
    Sample load_item(size_t index) const;

    std::string path_;
    size_t count_;
    size_t classes_;
    bool memoize_;
    std::map<size_t, Sample> loaded_;
};

struct Batch {
    std::vector<Sample> samples;
};

// Hands out the dataset in a new order each epoch.
class DataLoader {
  public:
    DataLoader(PictureDataset& dataset, size_t batch_size);

    void shuffle(uint64_t seed);
    size_t batch_count() const;
    Batch next_batch(size_t batch);

  private:
    PictureDataset& dataset_;
    size_t batch_size_;
    std::vector<size_t> order_;
};

#include "dataset.h"

#include <charconv>
#include <cmath>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <utility>

namespace {

constexpr size_t kSide = 64;       // of a picture on disk
constexpr size_t kModelSide = 28;  // of a picture as the model sees it

uint32_t next_random(uint32_t& state) {
    state = state * 1664525u + 1013904223u;
    return state >> 16;
}

// Stripes eight pixels wide whose direction is the label's, under noise.
Image draw_stripes(size_t index, size_t label, size_t classes) {
    const double angle = 3.14159265358979 * static_cast<double>(label) / static_cast<double>(classes);
    const int across = static_cast<int>(std::lround(std::cos(angle) * 32.0));
    const int down = static_cast<int>(std::lround(std::sin(angle) * 32.0));
    uint32_t random = static_cast<uint32_t>(index) * 2654435761u + 1;
    const int phase = static_cast<int>(next_random(random) % 256);
    Image image{kSide, kSide, std::vector<uint8_t>(kSide * kSide)};
    uint8_t* pixel = image.pixels.data();
    for (int y = 0; y < static_cast<int>(kSide); ++y) {
        for (int x = 0; x < static_cast<int>(kSide); ++x) {
            random = random * 1664525u + 1013904223u;
            const int wave = (across * x + down * y + phase) & 255;
            *pixel++ = static_cast<uint8_t>(wave / 2 + static_cast<int>(random >> 25));
        }
    }
    return image;
}

// Every picture's text is padded to the same length, so that picture `index` starts at index * kRecordBytes.
constexpr size_t kHeaderBytes = 16;
constexpr size_t kRecordBytes = kHeaderBytes + kSide * kSide * 4;

void write_picture(std::FILE* file, const Image& image) {
    std::vector<char> text(kRecordBytes, ' ');
    const int header = std::snprintf(text.data(), kHeaderBytes, "P2 %zu %zu 255", image.width, image.height);
    text[static_cast<size_t>(header)] = '\n';
    char* next = text.data() + kHeaderBytes;
    for (const uint8_t pixel : image.pixels) {
        std::to_chars(next, next + 3, static_cast<unsigned>(pixel));
        next += 4;
    }
    if (std::fwrite(text.data(), 1, text.size(), file) != text.size()) throw std::runtime_error("cannot write pictures");
}

std::string read_record(const std::string& path, size_t index) {
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"), std::fclose);
    std::string text(kRecordBytes, 0);
    if (file == nullptr || std::fseek(file.get(), static_cast<long>(index * kRecordBytes), SEEK_SET) != 0 ||
        std::fread(text.data(), 1, text.size(), file.get()) != text.size()) {
        throw std::runtime_error("cannot read " + path);
    }
    return text;
}

// Reads `count` numbers and returns where the next one starts.
const char* parse_row(const char* text, const char* end, uint8_t* row, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        while (text != end && (*text == ' ' || *text == '\n')) ++text;
        unsigned value = 0;
        const auto parsed = std::from_chars(text, end, value);
        if (parsed.ec != std::errc() || value > 255) throw std::runtime_error("not a picture");
        row[i] = static_cast<uint8_t>(value);
        text = parsed.ptr;
    }
    return text;
}

Image parse_picture(const std::string& text) {
    Image image;
    unsigned limit = 0;
    int header = 0;
    if (std::sscanf(text.c_str(), "P2 %zu %zu %u%n", &image.width, &image.height, &limit, &header) != 3 || limit != 255) {
        throw std::runtime_error("not a picture");
    }
    image.pixels.resize(image.width * image.height);
    const char* next = text.data() + header;
    for (size_t y = 0; y < image.height; ++y) {
        next = parse_row(next, text.data() + text.size(), &image.pixels[y * image.width], image.width);
    }
    return image;
}

// From the display's shades to amounts of light, by the usual cubic approximation of the sRGB curve.
std::vector<float> decode(const Image& image) {
    std::vector<float> light(image.pixels.size());
    for (size_t i = 0; i < light.size(); ++i) {
        const float shade = static_cast<float>(image.pixels[i]) / 255.0f;
        light[i] = shade * (shade * (shade * 0.305306011f + 0.682171111f) + 0.012522878f);
    }
    return light;
}

// A 3 x 3 binomial filter; keeps the size by repeating the edge.
std::vector<float> smooth(const std::vector<float>& light, size_t width, size_t height) {
    std::vector<float> smoothed(light.size());
    constexpr float kWeights[3] = {0.25f, 0.5f, 0.25f};
    for (size_t y = 0; y < height; ++y) {
        for (size_t x = 0; x < width; ++x) {
            float sum = 0;
            for (size_t dy = 0; dy < 3; ++dy) {
                for (size_t dx = 0; dx < 3; ++dx) {
                    const size_t from_y = y + dy < 1 ? 0 : (y + dy - 1 < height ? y + dy - 1 : height - 1);
                    const size_t from_x = x + dx < 1 ? 0 : (x + dx - 1 < width ? x + dx - 1 : width - 1);
                    sum += kWeights[dy] * kWeights[dx] * light[from_y * width + from_x];
                }
            }
            smoothed[y * width + x] = sum;
        }
    }
    return smoothed;
}

std::vector<float> resize(const std::vector<float>& light, size_t width, size_t height, size_t side) {
    std::vector<float> small(side * side);
    for (size_t y = 0; y < side; ++y) {
        const float from_y = static_cast<float>(y * (height - 1)) / static_cast<float>(side - 1);
        const size_t top = static_cast<size_t>(from_y) < height - 1 ? static_cast<size_t>(from_y) : height - 2;
        const float below = from_y - static_cast<float>(top);
        for (size_t x = 0; x < side; ++x) {
            const float from_x = static_cast<float>(x * (width - 1)) / static_cast<float>(side - 1);
            const size_t left = static_cast<size_t>(from_x) < width - 1 ? static_cast<size_t>(from_x) : width - 2;
            const float right = from_x - static_cast<float>(left);
            const float* corner = &light[top * width + left];
            small[y * side + x] = (corner[0] * (1 - right) + corner[1] * right) * (1 - below) +
                                  (corner[width] * (1 - right) + corner[width + 1] * right) * below;
        }
    }
    return small;
}

void normalize(std::vector<float>& features) {
    float sum = 0;
    float squares = 0;
    for (const float value : features) {
        sum += value;
        squares += value * value;
    }
    const float count = static_cast<float>(features.size());
    const float mean = sum / count;
    const float deviation = std::sqrt(squares / count - mean * mean) + 1e-6f;
    for (float& value : features) value = (value - mean) / deviation;
}

std::vector<float> augment(std::vector<float> light, size_t width, size_t height) {
    std::vector<float> features = resize(smooth(light, width, height), width, height, kModelSide);
    normalize(features);
    return features;
}

}  // namespace

void write_pictures(const std::string& path, size_t count, size_t classes) {
    std::FILE* const file = std::fopen(path.c_str(), "wb");
    if (file == nullptr) throw std::runtime_error("cannot write " + path);
    for (size_t i = 0; i < count; ++i) write_picture(file, draw_stripes(i, i % classes, classes));
    if (std::fclose(file) != 0) throw std::runtime_error("cannot write " + path);
}

PictureDataset::PictureDataset(std::string path, size_t count, size_t classes, bool memoize)
    : path_(std::move(path)), count_(count), classes_(classes), memoize_(memoize) {}

size_t PictureDataset::feature_count() { return kModelSide * kModelSide; }

Sample PictureDataset::get_item(size_t index) {
    if (!memoize_) return load_item(index);
    const auto known = loaded_.find(index);
    if (known != loaded_.end()) return known->second;
    return loaded_.emplace(index, load_item(index)).first->second;
}

Sample PictureDataset::load_item(size_t index) const {
    const Image image = parse_picture(read_record(path_, index));
    return {augment(decode(image), image.width, image.height), index % classes_};
}

DataLoader::DataLoader(PictureDataset& dataset, size_t batch_size)
    : dataset_(dataset), batch_size_(batch_size), order_(dataset.size()) {
    for (size_t i = 0; i < order_.size(); ++i) order_[i] = i;
}

void DataLoader::shuffle(uint64_t seed) {
    uint32_t random = static_cast<uint32_t>(seed) + 1;
    for (size_t i = order_.size(); i > 1; --i) std::swap(order_[i - 1], order_[next_random(random) % i]);
}

size_t DataLoader::batch_count() const { return order_.size() / batch_size_; }

Batch DataLoader::next_batch(size_t batch) {
    Batch result;
    result.samples.reserve(batch_size_);
    for (size_t i = 0; i < batch_size_; ++i) result.samples.push_back(dataset_.get_item(order_[batch * batch_size_ + i]));
    return result;
}

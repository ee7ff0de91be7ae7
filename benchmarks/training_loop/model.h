// A multilayer perceptron with one hidden layer, trained by stochastic gradient descent with momentum.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "dataset.h"

struct Parameter {
    std::vector<float> value;
    std::vector<float> gradient;
    std::vector<float> momentum;
};

class Linear {
  public:
    Linear(size_t inputs, size_t outputs, uint32_t seed);

    std::vector<float> forward(const std::vector<float>& input) const;
    // Adds to the gradients and returns the gradient of the input.
    std::vector<float> backward(const std::vector<float>& input, const std::vector<float>& output_gradient);

    Parameter weight;
    Parameter bias;

  private:
    size_t inputs_;
    size_t outputs_;
};

class Model {
  public:
    Model(size_t inputs, size_t hidden, size_t classes);

    // Returns the summed loss of the batch and leaves the gradients of its mean in the parameters.
    float forward_backward(const Batch& batch);
    std::vector<Parameter*> parameters();

  private:
    struct Activations {
        std::vector<float> hidden;
        std::vector<float> rectified;
        std::vector<float> scores;
    };
    Activations forward(const Sample& sample) const;
    void backward(const Sample& sample, const Activations& activations, std::vector<float> score_gradient);

    Linear first_;
    Linear second_;
};

class Optimizer {
  public:
    explicit Optimizer(std::vector<Parameter*> parameters);

    void zero_grad();
    void step();
    float learning_rate = 0;

  private:
    std::vector<Parameter*> parameters_;
};

// Halves the learning rate every other epoch.
class Scheduler {
  public:
    Scheduler(Optimizer& optimizer, float learning_rate);

    void step();

  private:
    Optimizer& optimizer_;
    int epoch_ = 0;
};

#include "model.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace {

constexpr float kMomentum = 0.9f;

Parameter make_parameter(size_t count, float scale, uint32_t seed) {
    Parameter parameter{std::vector<float>(count), std::vector<float>(count), std::vector<float>(count)};
    for (float& value : parameter.value) {
        seed = seed * 1664525u + 1013904223u;
        value = scale * (static_cast<float>(seed >> 8) / 8388608.0f - 1.0f);
    }
    return parameter;
}

std::vector<float> relu(std::vector<float> values) {
    for (float& value : values) value = std::max(value, 0.0f);
    return values;
}

// Returns the loss and turns the scores into its gradient with respect to them.
float cross_entropy(std::vector<float>& scores, size_t label, size_t batch_size) {
    const float highest = *std::max_element(scores.begin(), scores.end());
    float sum = 0;
    for (const float score : scores) sum += std::exp(score - highest);
    const float loss = std::log(sum) - (scores[label] - highest);
    for (float& score : scores) score = std::exp(score - highest) / sum / static_cast<float>(batch_size);
    scores[label] -= 1.0f / static_cast<float>(batch_size);
    return loss;
}

}  // namespace

Linear::Linear(size_t inputs, size_t outputs, uint32_t seed)
    : weight(make_parameter(inputs * outputs, 1.0f / std::sqrt(static_cast<float>(inputs)), seed)),
      bias(make_parameter(outputs, 0.0f, seed)),
      inputs_(inputs),
      outputs_(outputs) {}

std::vector<float> Linear::forward(const std::vector<float>& input) const {
    std::vector<float> output(bias.value);
    for (size_t i = 0; i < inputs_; ++i) {
        const float* row = &weight.value[i * outputs_];
        for (size_t o = 0; o < outputs_; ++o) output[o] += input[i] * row[o];
    }
    return output;
}

std::vector<float> Linear::backward(const std::vector<float>& input, const std::vector<float>& output_gradient) {
    std::vector<float> input_gradient(inputs_);
    for (size_t o = 0; o < outputs_; ++o) bias.gradient[o] += output_gradient[o];
    for (size_t i = 0; i < inputs_; ++i) {
        const float* row = &weight.value[i * outputs_];
        float* row_gradient = &weight.gradient[i * outputs_];
        float sum = 0;
        for (size_t o = 0; o < outputs_; ++o) {
            row_gradient[o] += input[i] * output_gradient[o];
            sum += row[o] * output_gradient[o];
        }
        input_gradient[i] = sum;
    }
    return input_gradient;
}

Model::Model(size_t inputs, size_t hidden, size_t classes) : first_(inputs, hidden, 1), second_(hidden, classes, 2) {}

Model::Activations Model::forward(const Sample& sample) const {
    Activations activations;
    activations.hidden = first_.forward(sample.features);
    activations.rectified = relu(activations.hidden);
    activations.scores = second_.forward(activations.rectified);
    return activations;
}

void Model::backward(const Sample& sample, const Activations& activations, std::vector<float> score_gradient) {
    std::vector<float> hidden_gradient = second_.backward(activations.rectified, score_gradient);
    for (size_t i = 0; i < hidden_gradient.size(); ++i) {
        if (activations.hidden[i] <= 0) hidden_gradient[i] = 0;
    }
    first_.backward(sample.features, hidden_gradient);
}

float Model::forward_backward(const Batch& batch) {
    float loss = 0;
    for (const Sample& sample : batch.samples) {
        Activations activations = forward(sample);
        std::vector<float> gradient = activations.scores;
        loss += cross_entropy(gradient, sample.label, batch.samples.size());
        backward(sample, activations, std::move(gradient));
    }
    return loss;
}

std::vector<Parameter*> Model::parameters() { return {&first_.weight, &first_.bias, &second_.weight, &second_.bias}; }

Optimizer::Optimizer(std::vector<Parameter*> parameters) : parameters_(std::move(parameters)) {}

void Optimizer::zero_grad() {
    for (Parameter* parameter : parameters_) std::fill(parameter->gradient.begin(), parameter->gradient.end(), 0.0f);
}

void Optimizer::step() {
    for (Parameter* parameter : parameters_) {
        for (size_t i = 0; i < parameter->value.size(); ++i) {
            parameter->momentum[i] = kMomentum * parameter->momentum[i] + parameter->gradient[i];
            parameter->value[i] -= learning_rate * parameter->momentum[i];
        }
    }
}

Scheduler::Scheduler(Optimizer& optimizer, float learning_rate) : optimizer_(optimizer) {
    optimizer_.learning_rate = learning_rate;
}

void Scheduler::step() {
    if (++epoch_ % 2 == 0) optimizer_.learning_rate *= 0.5f;
}

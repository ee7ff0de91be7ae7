#include "model/tree_sink.h"

namespace fnprof::model {

namespace {

uint64_t edge_key(FunctionId caller, FunctionId callee) { return static_cast<uint64_t>(caller) << 32 | callee; }

}  // namespace

PathId TreeSink::enter_at_site(const Frame& caller, const CallSymbol& call, uint32_t stack) {
    const PathId path = sites_->child(tree_, caller, call, stack);
    ++tree_[path].ncalls;
    return path;
}

// Whether the call's duration is one.
bool TreeSink::count_ending(const Frame& frame, const Activation& activation) {
    if (frame.inherited) return false;
    if (endings_.size() <= frame.function) endings_.resize(size_t{frame.function} + 1);
    if (activation.ending != Ending::kOpen) ++endings_[frame.function].unwound;
    if (activation.ending == Ending::kUnwound) return true;
    tree_.lacks_duration(frame.path);
    if (activation.ending != Ending::kOpen) return false;
    ++endings_[frame.function].open;
    ++open_calls_;
    extremes_.add(frame.function, instance(frame, activation, net_ns(activation.duration_ns, frame.descendants)));
    return false;
}

uint32_t TreeSink::number_edge(PathId path) {
    const PathTree::Node& node = tree_[path];
    const auto [entry, added] = edges_.try_emplace(edge_key(tree_[node.parent].function, node.function), static_cast<uint32_t>(edges_.size()));
    if (added) histograms_.add_histogram();
    return entry->second;
}

Histogram TreeSink::histogram(FunctionId caller, FunctionId callee) const {
    const auto edge = edges_.find(edge_key(caller, callee));
    return edge == edges_.end() ? Histogram() : histograms_.histogram(edge->second);
}

}  // namespace fnprof::model

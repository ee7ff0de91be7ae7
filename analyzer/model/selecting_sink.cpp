#include "model/selecting_sink.h"

#include <stdexcept>

namespace fnprof::model {

SelectingSink::ThreadShare& SelectingSink::share(uint32_t serial) {
    if (serial == last_serial_) return *last_share_;
    const auto [entry, added] = threads_.try_emplace(serial);
    if (added) entry->second.taken = !selection_.takes_thread || selection_.takes_thread(serial);
    last_serial_ = serial;
    last_share_ = &entry->second;
    return entry->second;
}

// A call, before any time is known.
Weight SelectingSink::made(PathId parent) const {
    return {1, 0, tree_.hook().inner_ps + ((parent & kNode) == PathTree::kRoot ? 0 : tree_.hook().outer_ps)};
}

Weight SelectingSink::weight(const Folded& folded) const {
    return {folded.calls, folded.ns, folded.calls * (tree_.hook().inner_ps + tree_.hook().outer_ps)};
}

// A node of the tree, perhaps a new one, under another one.
PathId SelectingSink::checked(PathId node, PathId above) {
    if (node >= kNode) throw std::length_error("more than 536870911 distinct call paths, too many for a selection of calls");
    if (node >= depths_.size()) depths_.push_back(depths_[above] + 1);
    return node;
}

PathId SelectingSink::enter(const Frame& caller, const CallSymbol& call, uint32_t stack, const ThreadStack& thread) {
    ThreadShare& share = this->share(thread.serial);
    const bool in_range = selection_.takes_moment(thread.last_ns);
    const Weight weight = made(caller.path);
    all_ += weight;
    if (in_range) in_range_ += weight;
    share.ncalls += in_range;
    const PathId above = caller.path & kNode;
    const PathId when = in_range ? 0 : kBefore;
    if (share.taken && depths_[above] >= selection_.most_depth) return above | kFolded | when;
    Frame plain = caller;
    plain.path = above;
    const PathId node = checked(tree_.enter(plain, call, stack, thread), above);
    if (share.taken && in_range) return node;
    tree_.unmake(node);
    if (share.taken) return node | when;
    if (in_range) elsewhere_ += weight;
    return node | kElsewhere;
}

PathId SelectingSink::inherit(PathId parent, FunctionId function, const ThreadStack& thread) {
    const PathId above = parent & kNode;
    const bool taken = share(thread.serial).taken;
    if (taken && depths_[above] >= selection_.most_depth) return above | kFolded | kBefore;
    return checked(tree_.inherit(above, function, thread), above) | (taken ? kBefore : kElsewhere);
}

void SelectingSink::pass(PathId path, uint64_t ns) {
    if ((path & kElsewhere) != 0) {
        elsewhere_.self_ns += ns;
    } else {
        tree_.pass(path & kNode, ns);
    }
}

void SelectingSink::busy(const ThreadStack& thread, uint64_t from_ns, uint64_t to_ns) {
    all_.self_ns += to_ns - from_ns;
    const uint64_t from = clip(from_ns), to = clip(to_ns);
    in_range_.self_ns += to - from;
    if (selection_.activity) share(thread.serial).activity.add(from, to);
}

std::optional<Folded> SelectingSink::leave(const Frame& frame, const Activation& activation, const Folded& inside) {
    if ((frame.path & kElsewhere) != 0) {
        elsewhere_.self_ns += activation.self_ns - inside.ns;
        without_caller_ += weight(inside);
        return std::nullopt;
    }
    const bool counts = (frame.path & kBefore) == 0;
    if ((frame.path & kFolded) != 0) return folded(counts, activation, inside);
    Activation seen = activation;
    if (activation.end_ns >= selection_.until_ns) seen.ending = Ending::kOpen;
    seen.end_ns = clip(activation.end_ns);
    if (counts && seen.ending != Ending::kOpen && activation.duration_ns < selection_.least_ns) {
        tree_.unmake(frame.path);
        return folded(true, activation, inside);
    }
    Frame plain = frame;
    plain.path &= kNode;
    plain.inherited = !counts;
    tree_.fold(plain.path, {inside.calls, 0});
    tree_.leave(plain, seen);
    folded_.self_ns += inside.ns;
    return std::nullopt;
}

// The time of calls inside it that are folded too is in its own.
std::optional<Folded> SelectingSink::folded(bool counts, const Activation& activation, const Folded& inside) {
    folded_ += weight({counts, 0});
    return Folded{inside.calls + counts, activation.self_ns};
}

void SelectingSink::fold(PathId path, const Folded& folded) {
    if ((path & kElsewhere) != 0 || (path & kNode) == PathTree::kRoot) {
        without_caller_ += weight(folded);
        if ((path & kNode) == PathTree::kRoot) without_caller_.self_hook_ps -= tree_.hook().outer_ps;
    } else {
        tree_.fold(path & kNode, folded);
    }
    folded_.self_ns += folded.ns;
}

SelectingSink::Weights SelectingSink::weights() const {
    Weights weights{.all = all_, .in_range = in_range_, .in_threads = in_range_, .shown = {}, .folded = folded_};
    weights.in_threads -= elsewhere_;
    weights.shown = weights.in_threads;
    weights.shown -= {folded_.calls, without_caller_.self_ns, without_caller_.self_hook_ps};
    return weights;
}

}  // namespace fnprof::model

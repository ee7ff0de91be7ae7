#include "report/tree.h"

#include "report/folded_tree.h"
#include "report/labels.h"
#include "report/no_match.h"
#include "report/text.h"

#include <fmt/format.h>
#include <fmt/ostream.h>
#include <re2/re2.h>

#include <algorithm>
#include <numeric>
#include <ostream>

namespace fnprof::report {
namespace {

// Deeper levels are not indented further but numbered: lines would grow without end.
constexpr size_t kMostIndented = 40;

class Tree {
  public:
    Tree(const Page& page, bool inverted) : page_(page), inverted_(inverted), nodes_(fold_recursion(page.profile)) {
        if (inverted) nodes_ = invert(nodes_);
        heaviest_.resize(nodes_.size());
        std::iota(heaviest_.begin(), heaviest_.end(), 0U);
        std::ranges::stable_sort(heaviest_, std::greater<>(), [&](uint32_t node) { return weight(node); });
    }

    void restrict(const TreeOptions& options) {
        kept_ = heaviest_;
        if (options.least_percent > 0) {
            const double least = options.least_percent / 100 * static_cast<double>(page_.figures.total_ps());
            reduce(fmt::format("call paths under {}% of the time", options.least_percent),
                   [&](uint32_t node) { return static_cast<double>(weight(node)) >= least; });
        }
        for (const Restriction& restriction : options.restrictions) apply(restriction);
        shown_.assign(nodes_.size(), false);
        for (uint32_t node : kept_)
            for (; node != model::kNone && !shown_[node]; node = nodes_[node].parent) shown_[node] = true;
    }

    void print(std::ostream& out) const {
        print_order(out, inverted_ ? "internal time" : "cumulative time", messages_);
        if (!unmatched_.pattern.empty()) return print_no_match(out, page_, unmatched_);
        Grid grid(inverted_ ? std::vector<std::string>{"   ncalls", "tottime", "self%", "function, then its callers"}
                            : std::vector<std::string>{"   ncalls", "tottime", "cumtime", "cum%", "call path"});
        std::vector<uint32_t> order;
        std::vector<size_t> depths;
        walk([&](uint32_t node, size_t depth) {
            const FoldedPath& path = nodes_[node];
            const Amount cumulative = page_.figures.cumulative(path.cost);
            std::vector<std::string> cells{fmt::format("   {}", path.ncalls)};
            if (!inverted_) cells.push_back(format_amount(page_.figures.self(path.cost)));
            cells.insert(cells.end(), {format_amount(cumulative),
                                       format_percent(std::max<Picoseconds>(cumulative.ps, 0), page_.figures.total_ps()), ""});
            grid.add(std::move(cells));
            order.push_back(node);
            depths.push_back(depth);
        });
        const size_t before = grid.width();
        const std::vector<std::string> all = labels(order, depths, before);
        for (size_t i = 0; i < order.size(); ++i) grid.rows()[i].back() = all[i];
        grid.print(out, page_);
        if (const size_t hidden = nodes_.size() - order.size(); hidden != 0)
            fmt::print(out, "\n   {} more call path{} not shown; 'all' shows everything\n", hidden, hidden == 1 ? "" : "s");
    }

  private:
    Picoseconds weight(uint32_t node) const { return page_.figures.cumulative(nodes_[node].cost).ps; }

    template <typename Keep>
    void reduce(const std::string& reason, Keep keep) {
        const size_t before = kept_.size();
        std::erase_if(kept_, [&](uint32_t node) { return !keep(node); });
        if (kept_.size() != before)
            messages_.push_back(
                fmt::format("List reduced from {} to {} due to restriction <{}>", before, kept_.size(), reason));
    }

    void apply(const Restriction& restriction) {
        const std::string name = describe(restriction);
        if (const auto* pattern = std::get_if<Matching>(&restriction)) {
            const std::vector<bool> through = through_match(pattern->pattern);
            const size_t searched = kept_.size();
            reduce(name, [&](uint32_t node) { return through[node]; });
            if (kept_.empty() && searched != 0)
                unmatched_ = {pattern->pattern, searched, static_cast<size_t>(std::ranges::count(through, true)), "call path"};
            return;
        }
        size_t left = first_rows(restriction, kept_.size());
        reduce(name, [&](uint32_t) { return left != 0 && left-- != 0; });
    }

    // Nodes that match and everything below them.
    std::vector<bool> through_match(const std::string& pattern) const {
        const RE2 expression(pattern);
        std::vector<signed char> function_matches(page_.profile.functions.size(), -1);
        std::vector<bool> through(nodes_.size());
        for (size_t i = 0; i < nodes_.size(); ++i) {
            const model::FunctionId id = nodes_[i].function;
            if (function_matches[id] < 0)
                function_matches[id] = RE2::PartialMatch(page_.names.label(id, page_.paths), expression);
            through[i] = function_matches[id] == 1 || (nodes_[i].parent != model::kNone && through[nodes_[i].parent]);
        }
        return through;
    }

    // Visits the shown nodes, each before its children, heavier siblings first. No recursion: trees can be deep.
    template <typename Visit>
    void walk(Visit visit) const {
        std::vector<uint32_t> first_child(nodes_.size(), model::kNone), next_sibling(nodes_.size(), model::kNone);
        uint32_t first_root = model::kNone;
        // From the lightest to the heaviest, each put before its siblings.
        for (size_t i = heaviest_.size(); i-- > 0;) {
            const uint32_t node = heaviest_[i];
            if (!shown_[node]) continue;
            uint32_t& head = nodes_[node].parent == model::kNone ? first_root : first_child[nodes_[node].parent];
            next_sibling[node] = head;
            head = node;
        }
        std::vector<uint32_t> stack;
        if (first_root != model::kNone) stack.push_back(first_root);
        size_t depth = 0;
        std::vector<size_t> stack_depths{depth};
        while (!stack.empty()) {
            const uint32_t node = stack.back();
            depth = stack_depths.back();
            stack.pop_back();
            stack_depths.pop_back();
            visit(node, depth);
            if (next_sibling[node] != model::kNone) {
                stack.push_back(next_sibling[node]);
                stack_depths.push_back(depth);
            }
            if (first_child[node] != model::kNone) {
                stack.push_back(first_child[node]);
                stack_depths.push_back(depth + 1);
            }
        }
    }

    std::vector<std::string> labels(const std::vector<uint32_t>& order, const std::vector<size_t>& depths, size_t before) const {
        std::vector<std::string> leads, folds;
        std::vector<LabelRow> rows;
        for (size_t i = 0; i < order.size(); ++i) {
            const FoldedPath& path = nodes_[order[i]];
            leads.emplace_back(2 * std::min(depths[i], kMostIndented), ' ');
            if (depths[i] > kMostIndented) leads.back() += fmt::format("[{}] ", depths[i]);
            folds.push_back(path.recursive_calls == 0 ? "" : fmt::format(" (rec x{})", path.recursive_calls));
            const size_t taken = before + leads.back().size() + folds.back().size();
            rows.push_back({path.function, page_.width == 0 ? 0 : page_.width > taken ? page_.width - taken : 1});
        }
        std::vector<std::string> out = distinct_labels(page_.names, page_.paths, rows, LabelForm::kFunctionFirst);
        for (size_t i = 0; i < out.size(); ++i) out[i] = leads[i] + out[i] + folds[i];
        return out;
    }

    const Page& page_;
    bool inverted_;
    std::vector<FoldedPath> nodes_;
    std::vector<uint32_t> heaviest_;  // all nodes by falling cumulative time
    std::vector<uint32_t> kept_;      // what the restrictions leave of them
    std::vector<bool> shown_;         // kept or a caller of a kept one
    std::vector<std::string> messages_;
    NoMatch unmatched_;
};

}  // namespace

void print_tree(std::ostream& out, const Page& page, const TreeOptions& options) {
    print_heading(out, page);
    Tree tree(page, options.inverted);
    tree.restrict(options);
    tree.print(out);
}

}  // namespace fnprof::report

// Cutting C++ names. A demangled name is  [return type] scope::scope::function<arguments>(parameters) [qualifiers] [clone
// x]. What identifies the function is its unqualified name; everything else gives way, from the right to the left:
//   ns::map<K, V>::find(ns::map<K, V> const&, K const&) const
//   ns::map<K, V>::find(ns::map<K, V> co...)       parameters, as many as fit
//   ns::map<K, V>::find(...)
//   ns::map<...>::find(...)                          template arguments
//   ...::map<...>::find(...)                         outer scopes
//   ...::find(...)
#include "report/text.h"

#include <vector>

namespace fnprof::report {
namespace {

constexpr std::string_view kDots = "...";

struct Parts {
    std::string_view head;        // return type, scopes, function
    std::string_view parameters;  // between the parentheses
    bool has_parameters = false;
};

bool ends_with_operator(std::string_view text) { return text.ends_with("operator"); }

// The parameter list is the last pair of parentheses of the name; qualifiers and clone marks after it are dropped.
Parts split(std::string_view name) {
    const size_t clone = name.find(" [clone ");
    if (clone != std::string_view::npos) name = name.substr(0, clone);
    const size_t close = name.rfind(')');
    if (close == std::string_view::npos || name.find("::", close) != std::string_view::npos) return {name, {}, false};
    size_t depth = 0, open = close + 1;
    while (open > 0) {
        --open;
        depth += name[open] == ')';
        depth -= name[open] == '(';
        if (depth == 0) break;
    }
    if (depth != 0 || open == 0 || ends_with_operator(name.substr(0, open))) return {name, {}, false};
    return {name.substr(0, open), name.substr(open + 1, close - open - 1), true};
}

// Positions in `head` that lie outside of <>, (), {} and [].
class TopLevel {
  public:
    explicit TopLevel(std::string_view text) : text_(text) {}

    // Calls visit(position) for each character at the top level.
    template <typename Visit>
    void each(Visit visit) const {
        size_t depth = 0;
        for (size_t i = 0; i < text_.size(); ++i) {
            if (is_operator_at(i)) {  // operator<, operator->, operator(), ...: its signs are no brackets
                const size_t end = operator_end(i);
                if (depth == 0)
                    for (size_t k = i; k < end; ++k) visit(k);
                i = end - 1;
                continue;
            }
            const char c = text_[i];
            if (c == '<' || c == '(' || c == '{' || c == '[') {
                if (depth == 0) visit(i);
                ++depth;
            } else if (c == '>' || c == ')' || c == '}' || c == ']') {
                if (depth > 0) --depth;
                if (depth == 0) visit(i);
            } else if (depth == 0) {
                visit(i);
            }
        }
    }

  private:
    bool is_operator_at(size_t i) const {
        constexpr std::string_view kWord = "operator";
        if (!text_.substr(i).starts_with(kWord) || (i > 0 && is_identifier(text_[i - 1]))) return false;
        const size_t after = i + kWord.size();
        return after >= text_.size() || !is_identifier(text_[after]);
    }
    size_t operator_end(size_t i) const {
        size_t end = i + 8;
        if (text_.substr(end).starts_with("()") || text_.substr(end).starts_with("[]")) return end + 2;
        if (text_.substr(end).starts_with(" ")) return end + 1;  // operator new, conversions: the type follows
        while (end < text_.size() && std::string_view("<>=-+*/%^&|~!,").find(text_[end]) != std::string_view::npos) {
            // operator<< <int> and operator< <int>: a blank separates, so signs in a row belong to the operator
            ++end;
        }
        return end;
    }
    static bool is_identifier(char c) {
        return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$';
    }

    std::string_view text_;
};

// Whether `rest`, what follows a blank, begins with a qualifier of the function that a lambda or local class is in:
// main(int) const::{lambda()#1}::operator()() const.
bool starts_with_qualifier(std::string_view rest) {
    for (const std::string_view qualifier : {"const", "volatile", "&&", "&", "noexcept"}) {
        if (!rest.starts_with(qualifier)) continue;
        const std::string_view after = rest.substr(qualifier.size());
        if (after.starts_with("::") || (after.starts_with(" ") && starts_with_qualifier(after.substr(1)))) return true;
    }
    return false;
}

// Template functions carry their return type; it ends at the last blank outside of brackets.
std::string_view without_return_type(std::string_view head) {
    if (head.find("operator ") != std::string_view::npos) return head;
    size_t start = 0;
    TopLevel(head).each([&](size_t i) {
        const std::string_view rest = head.substr(i + 1);
        // operator<< <int> is one name
        if (head[i] == ' ' && !rest.starts_with("<") && !starts_with_qualifier(rest)) start = i + 1;
    });
    return head.substr(start);
}

std::string without_template_arguments(std::string_view head) {
    std::string out;
    size_t open = 0;
    TopLevel(head).each([&](size_t i) {
        const char c = head[i];
        if (c == '<' || c == '(' || c == '{' || c == '[') open = i;
        if (c == '>' && head[open] == '<' && open + 1 < i) out += kDots;
        // Parentheses, braces and brackets in a name hold "anonymous namespace" and the numbers of lambdas: kept whole.
        if ((c == ')' || c == '}' || c == ']') && open + 1 < i) out += head.substr(open + 1, i - open - 1);
        out += c;
    });
    return out;
}

// Without template arguments and their brackets; what other brackets hold is part of the name.
std::string without_templates(std::string_view head) {
    std::vector<size_t> places;
    TopLevel(head).each([&](size_t i) { places.push_back(i); });
    std::string out;
    for (size_t k = 0; k < places.size(); ++k) {
        const size_t next = k + 1 < places.size() ? places[k + 1] : head.size();
        if (head[places[k]] == '<' && next < head.size() && head[next] == '>')
            ++k;
        else
            out += head.substr(places[k], next - places[k]);
    }
    out.resize(out.find_last_not_of(' ') + 1);  // operator< <int>
    return out;
}

std::vector<size_t> scope_starts(std::string_view head) {
    std::vector<size_t> starts;
    size_t previous = std::string_view::npos;
    head = head.substr(0, head.find("operator "));  // a conversion's type is part of the function's name
    TopLevel(head).each([&](size_t i) {
        if (head[i] == ':' && previous != std::string_view::npos && previous + 1 == i) starts.push_back(i + 1);
        previous = head[i] == ':' ? i : std::string_view::npos;
    });
    return starts;
}

}  // namespace

std::string qualified_name(std::string_view name) { return without_templates(without_return_type(split(name).head)); }

std::string unqualified_name(std::string_view name) {
    const std::string qualified = qualified_name(name);
    const std::vector<size_t> starts = scope_starts(qualified);
    return starts.empty() ? qualified : qualified.substr(starts.back());
}

std::vector<std::string> surrounding_scopes(std::string_view name) {
    constexpr std::string_view kAnonymous = "(anonymous namespace)";
    const std::string_view head = without_return_type(split(name).head);
    std::vector<std::string> scopes;
    size_t begin = 0;
    for (const size_t start : scope_starts(head)) {
        const std::string_view scope = head.substr(begin, start - 2 - begin);
        if (scope != kAnonymous && scope.find_first_of("<({[") != std::string_view::npos) break;
        scopes.emplace_back(scope);
        begin = start;
    }
    return scopes;
}

std::string cut_name(std::string_view name, size_t width) {
    if (columns(name) <= width) return std::string(name);
    const Parts parts = split(name);
    const std::string tail = !parts.has_parameters ? "" : parts.parameters.empty() ? "()" : "(...)";

    const size_t fixed = columns(parts.head) + tail.size();
    if (!parts.parameters.empty() && fixed <= width) {
        // As much of the parameters as fits, never half of a code point.
        size_t keep = 0, used = 0;
        while (keep < parts.parameters.size()) {
            size_t end = keep + 1;
            while (end < parts.parameters.size() && (static_cast<unsigned char>(parts.parameters[end]) & 0xc0) == 0x80)
                ++end;
            used += columns(parts.parameters.substr(keep, end - keep));
            if (fixed + used > width) break;
            keep = end;
        }
        return std::string(parts.head) + "(" + std::string(parts.parameters.substr(0, keep)) + std::string(kDots) + ")";
    }
    if (fixed <= width) return std::string(parts.head) + tail;
    std::string head(without_return_type(parts.head));
    if (columns(head) + tail.size() <= width) return head + tail;
    head = without_template_arguments(head);
    if (columns(head) + tail.size() <= width) return head + tail;
    std::string shortest = head;
    for (const size_t start : scope_starts(head)) {
        std::string shorter = std::string(kDots) + "::" + head.substr(start);
        if (columns(shorter) < columns(shortest)) shortest = std::move(shorter);
        if (columns(shortest) + tail.size() <= width) break;
    }
    return shortest + tail;
}

}  // namespace fnprof::report

// Values that know what they were made of. A term is a handle of a value in a table: it is as large as the
// value, takes its place in registers and shared memory, and is never two values at once. So whoever sees a
// term move knows which value moved, though others may be equal.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "registry/operation.hpp"
#include "registry/value.hpp"

namespace upsweep::registry {

using term_id = std::uint32_t;

struct term_node {
    value held;
    std::optional<std::pair<term_id, term_id>> operands{};  // left and right, if an operator made it
    unsigned thread = 0;                                    // that made it
    std::uint64_t depth = 0;  // operators one after the other, from elements to here
};

class term_table {
  public:
    explicit term_table(operation op) : op_(op) {}

    term_id add(const value& element) {
        nodes_.push_back({element});
        return static_cast<term_id>(nodes_.size() - 1);
    }
    // left (+) right.
    term_id combine(unsigned thread, term_id left, term_id right);

    [[nodiscard]] const term_node& operator[](term_id id) const { return nodes_[id]; }
    [[nodiscard]] std::size_t size() const { return nodes_.size(); }
    [[nodiscard]] std::uint64_t combines() const { return combines_; }
    [[nodiscard]] std::uint64_t depth() const { return depth_; }

  private:
    operation op_;
    std::vector<term_node> nodes_;
    std::uint64_t combines_ = 0;
    std::uint64_t depth_ = 0;
};

// A handle of 4 * Words bytes. Values of fewer bytes than 4 are held in 4, as in a register.
template <std::size_t Words>
struct term {
    std::array<std::uint32_t, Words> words{};

    term() = default;
    explicit term(term_id id) { words[0] = id; }
    [[nodiscard]] term_id id() const { return words[0]; }
};

// The operator of a thread, on terms.
template <class Term>
struct term_operator {
    term_table* table;
    unsigned thread;
    term_id neutral;  // the identity

    Term operator()(const Term& a, const Term& b) const {
        return Term(table->combine(thread, a.id(), b.id()));
    }
    [[nodiscard]] Term identity() const { return Term(neutral); }
};

// a (+) b; both of one type that `op` accepts.
[[nodiscard]] value combined(operation op, const value& a, const value& b);
[[nodiscard]] value neutral_element(operation op, dtype type);

}  // namespace upsweep::registry

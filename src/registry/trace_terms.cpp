// Operators on values of run-time types.
#include "registry/trace_terms.hpp"

#include <algorithm>
#include <string>
#include <type_traits>

#include "registry/held.hpp"
#include "registry/visit.hpp"
#include "upsweep/concepts.hpp"
#include "upsweep/error.hpp"
#include "upsweep/operators.hpp"

namespace upsweep::registry {

term_id term_table::combine(unsigned thread, term_id left, term_id right) {
    const std::uint64_t depth = 1 + std::max(nodes_[left].depth, nodes_[right].depth);
    depth_ = std::max(depth_, depth);
    ++combines_;
    const value made = combined(op_, nodes_[left].held, nodes_[right].held);
    nodes_.push_back({made, std::pair(left, right), thread, depth});
    return static_cast<term_id>(nodes_.size() - 1);
}

value combined(operation op, const value& a, const value& b) {
    const dtype type = a.type();
    // Truth values are bytes of 0 and 1.
    const bool truth = type == dtype::bool8;
    return visit_type(truth ? dtype::uint8 : type, [&]<class T>(std::type_identity<T>) -> value {
        const auto by = [&]<class Op>(std::type_identity<Op>) -> value {
            if constexpr (combines<Op, T> && !std::is_same_v<T, bool>)
                return value::of(type, T(Op{}(a.as<T>(), b.as<T>())));
            else
                throw_error(errc::invalid_argument,
                            std::string(name(op)) + " is not defined for " + std::string(name(type)));
        };
        switch (truth ? on_bits(op) : op) {
#define UPSWEEP_OPERATOR(name, primitive, identity, domain, meaning) \
    case operation::name:                                            \
        return by(std::type_identity<upsweep::name>{});
#include "upsweep/operators.def"
        }
        return {};
    });
}

value neutral_element(operation op, dtype type) {
    if (type != dtype::bool8) return identity_of(op, type);
    return value::of(type, (identity_of(on_bits(op), dtype::uint8).as<std::uint8_t>() & 1) != 0);
}

}  // namespace upsweep::registry

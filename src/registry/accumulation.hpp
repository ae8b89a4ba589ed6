// From a request to the C++ types that the CPU computes in: an operator and an accumulator.
#pragma once

#include <concepts>
#include <optional>
#include <string>
#include <type_traits>

#include "registry/held.hpp"
#include "registry/scanner.hpp"
#include "registry/staging.hpp"
#include "registry/value.hpp"
#include "registry/visit.hpp"
#include "upsweep/cpu/kernels.hpp"
#include "upsweep/error.hpp"
#include "upsweep/operators.hpp"
#include "upsweep/types.hpp"

namespace upsweep::registry {

// Whether accumulators stand for bool: bytes of 0 and 1, on which the operator is that of bits. The
// identities differ only in bits that a store of bool ignores.
[[nodiscard]] inline bool is_truth(const scan_request& request) {
    return request.types.accumulator == dtype::bool8;
}

// Calls visitor(Op{}) for the operator.
template <class Visitor>
decltype(auto) visit_operation(const scan_request& request, const Visitor& visitor) {
    return visit_operation(is_truth(request) ? on_bits(request.op) : request.op, visitor);
}

// Calls visitor(std::type_identity<Acc>{}) for the accumulator, if Op is defined for it.
template <class Op, class Visitor>
auto visit_accumulator(const scan_request& request, const Visitor& visitor) {
    const dtype held = is_truth(request) ? dtype::uint8 : request.types.accumulator;
    using result = decltype(visitor(std::type_identity<std::uint8_t>{}));
    return visit_type(held, [&]<class Acc>(std::type_identity<Acc> type) -> result {
        if constexpr (cpu::has_kernels<Acc, Op> || (is_complex<Acc> && core::has_typed_identity<Op, Acc>)) {
            return visitor(type);
        } else {
            throw_error(errc::invalid_argument,
                        std::string(name(request.op)) + " is not defined for " + std::string(name(held)));
        }
    });
}

// The initial value, if there is one. Throws as check_initial does.
template <class Acc>
[[nodiscard]] std::optional<Acc> initial_of(const scan_request& request) {
    check_initial(request);
    if (!request.initial) return std::nullopt;
    const value& given = *request.initial;
    if constexpr (std::same_as<Acc, std::uint8_t>) {
        if (is_truth(request)) return given.as<bool>() ? Acc(1) : Acc(0);
    }
    return given.as<Acc>();
}

}  // namespace upsweep::registry

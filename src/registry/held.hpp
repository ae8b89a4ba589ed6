// What accumulators are on a device: held in one of few types, so that few kernels serve all.
//
// Held are int32, uint32, int64, uint64, float32, float64, complex64 and complex128. Narrower integers are
// held in 32 bits, and signed ones as unsigned where the operator's bits are the same; bool is the lowest bit
// of uint32. Whoever loads elements wraps them to the accumulator that was asked for, and whoever stores
// results does so again, so results have the CPU's bits.
#pragma once

#include <cstddef>

#include "registry/operation.hpp"
#include "registry/scanner.hpp"
#include "registry/value.hpp"

namespace upsweep::registry {

// The operator that does on bits 0 and 1 what `op` does on bool; others stay what they are.
[[nodiscard]] operation on_bits(operation op) noexcept;
// The type in which an accumulator is held under an operator that accepts it.
[[nodiscard]] dtype held_type(operation op, dtype accumulator) noexcept;
// Whether elements of that type, or results, have the bits of the held accumulator: they need no conversion.
[[nodiscard]] bool is_held_as(dtype element, dtype accumulator, dtype held) noexcept;
// The identity of `op` as an accumulator. Throws upsweep::error (invalid_argument) where there is none.
[[nodiscard]] value identity_of(operation op, dtype accumulator);
// An accumulator as it is held, and back: integers wrap, bool is the lowest bit.
[[nodiscard]] value to_held(const value& accumulator, dtype held);
[[nodiscard]] value from_held(const value& held, dtype accumulator);

// A request in terms of held accumulators.
struct held_request {
    operation op;  // for bool one on bits
    dtype held;
    // What an exclusive scan stores first: the initial value, or the identity of the accumulator, whose bits
    // may be others than those of the held type's. Of the held type.
    value start;
};
// Throws upsweep::error (invalid_argument) if there is an initial value of another type than accumulators.
void check_initial(const scan_request& request);
[[nodiscard]] held_request hold(const scan_request& request);

// Conversion of n elements in memory, on the CPU: elements of type `element` (or results, for store_held)
// through accumulators. `from` and `to` must not overlap.
struct conversion {
    dtype element;
    dtype accumulator;
    dtype held;
};
void load_held(const conversion& how, const void* from, void* to, std::size_t n);
void store_held(const conversion& how, const void* from, void* to, std::size_t n);

}  // namespace upsweep::registry

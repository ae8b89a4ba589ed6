// What accumulators are on a device: held in one of few types, so that few kernels serve all.
//
// Held are int32, uint32, int64, uint64, float32, float64, complex64 and complex128. Narrower integers are
// held in 32 bits, and signed ones as unsigned where the operator's bits are the same; bool is the lowest bit
// of uint32. Whoever loads elements wraps them to the accumulator that was asked for, and whoever stores
// results does so again, so results have the CPU's bits.
#pragma once

#include <cstddef>

#include "registry/operation.hpp"
#include "registry/value.hpp"

namespace upsweep::registry {

// The operator that does on bits 0 and 1 what `op` does on bool; others stay what they are.
[[nodiscard]] operation on_bits(operation op) noexcept;
// The type in which an accumulator is held under an operator that accepts it.
[[nodiscard]] dtype held_type(operation op, dtype accumulator) noexcept;
// The identity of `op` as an accumulator. Throws upsweep::error (invalid_argument) where there is none.
[[nodiscard]] value identity_of(operation op, dtype accumulator);
// An accumulator as it is held, and back: integers wrap, bool is the lowest bit.
[[nodiscard]] value to_held(const value& accumulator, dtype held);
[[nodiscard]] value from_held(const value& held, dtype accumulator);

// The same for n elements in memory, on the CPU: elements of type `element` (or results, for store_held)
// through accumulators. `from` and `to` must not overlap.
struct conversion {
    dtype element;
    dtype accumulator;
    dtype held;
};
void load_held(const conversion& how, const void* from, void* to, std::size_t n);
void store_held(const conversion& how, const void* from, void* to, std::size_t n);

}  // namespace upsweep::registry

// What an engine has to know of an operator that has kernels, as data: so engines are compiled once for a
// type and not for every operator. Elements are the kernels' business; what is called here is called once a
// tile.
#pragma once

#include <cstddef>
#include <type_traits>

#include "upsweep/concepts.hpp"
#include "upsweep/cpu/kernels.hpp"

namespace upsweep::cpu {

template <class Acc, bool Exact>
struct operation {
    using kernel_table = std::conditional_t<Exact, exact_kernels<Acc>, tree_kernels<Acc>>;

    Acc identity;
    Acc (*combine)(Acc, Acc);
    // into[i] = into[i] (+) from[i]
    void (*combine_all)(Acc* into, const Acc* from, std::size_t count);
    const kernel_table& (*kernels)(simd_level);
};

template <class Acc, class Op>
inline constexpr operation<Acc, is_exact<Op, Acc>> operation_of{
    Op::template identity<Acc>(), [](Acc a, Acc b) -> Acc { return Op()(a, b); },
    [](Acc* into, const Acc* from, std::size_t count) {
        for (std::size_t i = 0; i < count; ++i) into[i] = Op()(into[i], from[i]);
    },
    &kernels_for<Acc, Op>};

// apply(T, exact) for every operation<T, exact> of UPSWEEP_FOR_EACH_KERNEL.
// clang-format off
#define UPSWEEP_FOR_EACH_OPERATION(apply)                                                                 \
    UPSWEEP_KERNEL_TYPES_INTEGER(apply, true) UPSWEEP_KERNEL_TYPES_FLOAT(apply, true)                     \
    UPSWEEP_KERNEL_TYPES_FLOAT(apply, false)
// clang-format on

}  // namespace upsweep::cpu

// Odometers of bins in plain C++: the level `portable`, vectors of fewer than four lanes, and what happens
// once a row.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "upsweep/core/portability.hpp"
#include "upsweep/cpu/bin_totals.hpp"
#include "upsweep/operators.hpp"

namespace upsweep::cpu {

// How L's elements and V's runs are counted: as the operator goes on from `none` by `one`, so that the same
// instruction advances numbers and counts. Powers of two for a product, 2^32 at most.
template <class T, class Op>
struct odometer_counts {
    static constexpr bool sums = std::same_as<Op, plus>;
    static constexpr T none = sums ? 0 : 1;
    static constexpr T one = sums ? 1 : 2;
    static constexpr T full_run = sums ? 4 : 16;
    static constexpr T full_row = sums ? 32 : 0x1p32;
    static_assert(core::run_size == 4 && core::row_size / core::run_size == 32);
};

// Bin b has a complete row in V.
template <class T, class Op>
void close_row(const bin_odometers<T>& bins, std::size_t b) {
    constexpr T identity = Op::template identity<T>();
    T* const own = bins.runs + 4 * b;
    bin_rows<T>& above = bins.above[b];
    if (bins.has_above[b] == 0) above = {identity, identity, identity, 0};
    bins.has_above[b] = 1;
    above.push(own[1], identity, Op());
    own[1] = identity;
    own[3] = odometer_counts<T, Op>::none;
}

template <class T, class Op>
void clear(const bin_odometers<T>& bins, std::size_t count) {
    constexpr T identity = Op::template identity<T>(), none = odometer_counts<T, Op>::none;
    for (std::size_t b = 0; b < count; ++b) {
        T* const own = bins.runs + 4 * b;
        own[0] = own[1] = identity;
        own[2] = own[3] = none;
    }
    std::memset(bins.has_above, 0, count);
}
template <class T, class Op>
void total(const bin_odometers<T>& bins, std::size_t first, std::size_t count, T start, T* totals) {
    for (std::size_t i = 0; i < count; ++i) {
        const T* const own = bins.runs + 4 * (first + i);
        T nested = Op()(own[1], own[0]);
        if (bins.has_above[first + i] != 0) nested = bins.above[first + i].value(nested, Op());
        totals[i] = Op()(start, nested);
    }
}

namespace portable {

template <class T, class Op>
void take(const T* x, const std::uint32_t* found, std::size_t count, const bin_odometers<T>& bins) {
    using counts = odometer_counts<T, Op>;
    for (std::size_t i = 0; i < count; ++i) {
        T* const own = bins.runs + 4 * std::size_t{found[i]};
        if (own[2] == counts::full_run) {
            own[1] = Op()(own[1], own[0]);
            own[0] = Op::template identity<T>();
            own[2] = counts::none;
            own[3] = Op()(own[3], counts::one);
            if (own[3] == counts::full_row) close_row<T, Op>(bins, found[i]);
        }
        own[0] = Op()(own[0], x[i]);
        own[2] = Op()(own[2], counts::one);
    }
}

// Inlined, so that every level has its own shifts by a register.
template <class T>
UPSWEEP_ALWAYS_INLINE std::uint64_t place_few_inline(const T* x, const std::uint32_t* found,
                                                     std::size_t count, T* const* ends) {
    std::uint64_t taken = 0;
    for (std::size_t i = 0; i < count; ++i) {
        const std::uint32_t shift = few_bins_bits * found[i];
        ends[found[i]][taken >> shift & few_bins_most] = x[i];
        taken += std::uint64_t{1} << shift;
    }
    return taken;
}
template <class T>
std::uint64_t place_few(const T* x, const std::uint32_t* found, std::size_t count, T* const* ends) {
    return place_few_inline(x, found, count, ends);
}
inline std::size_t count_equal(const std::uint32_t* found, std::size_t count, std::uint32_t bin) {
    std::size_t equal = 0;
    for (std::size_t i = 0; i < count; ++i) equal += found[i] == bin ? 1 : 0;
    return equal;
}

template <class T, class Op>
struct odometers {
    static constexpr bin_odometer_kernels<T> table{&clear<T, Op>, &take<T, Op>, &total<T, Op>};
};

}  // namespace portable
}  // namespace upsweep::cpu

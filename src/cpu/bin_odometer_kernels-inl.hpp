// Odometers of bins, a vector of four lanes each: L, V, how many elements L has, and how many runs V. Whether
// a run is complete cannot be foretold, so that every element takes the same way, of one operation of all
// lanes and without a branch:
//
//     run complete:   {identity, V, none, runs} (+) {x, L, one, one}
//     otherwise:      {L, V, items, runs}       (+) {x, identity, one, identity}

#if defined(UPSWEEP_BIN_ODOMETER_KERNELS_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef UPSWEEP_BIN_ODOMETER_KERNELS_INL_HPP
#undef UPSWEEP_BIN_ODOMETER_KERNELS_INL_HPP
#else
#define UPSWEEP_BIN_ODOMETER_KERNELS_INL_HPP
#endif

#include <bit>
#include <cstddef>
#include <cstdint>

#include "src/cpu/portable_bin_odometers.hpp"
#include "src/cpu/vector-inl.hpp"

#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128  // the portable level needs no vector bodies
HWY_BEFORE_NAMESPACE();
namespace upsweep::cpu::HWY_NAMESPACE {

template <class T, class Op>
HWY_ATTR void take_by_vectors(const T* x, const std::uint32_t* found, std::size_t count,
                              const bin_odometers<T>& bins) {
    using counts = odometer_counts<T, Op>;
    using bits = hwy::MakeUnsigned<T>;
    const hn::FixedTag<T, 4> d;
    constexpr T identity = Op::template identity<T>();
    constexpr T one = counts::one, none = counts::none;
    alignas(32) constexpr T others[4] = {identity, identity, one, identity};
    alignas(32) constexpr T fresh[4] = {identity, identity, none, none};
    const auto full = hn::Set(d, counts::full_run), ones = hn::Set(d, one);
    const auto within = hn::Load(d, others), emptied = hn::Load(d, fresh);
    const auto first = hn::FirstN(d, 1);
    T* const runs = bins.runs;
    for (std::size_t i = 0; i < count; ++i) {
        T* const own = runs + 4 * std::size_t{found[i]};
        const auto before = hn::Load(d, own);
        const auto complete = hn::Eq(hn::Set(d, own[2]), full);
        const auto left = hn::IfThenElse(complete, hn::OddEven(before, emptied), before);
        const auto closing = hn::ConcatUpperLower(d, ones, hn::Set(d, own[0]));
        const auto right = hn::IfThenElse(first, hn::Set(d, x[i]), hn::IfThenElse(complete, closing, within));
        hn::Store(combine(Op(), left, right), d, own);
        // Once in 128: read back as an integer, which takes no vector instruction.
        if (HWY_UNLIKELY(std::bit_cast<bits>(own[3]) == std::bit_cast<bits>(counts::full_row)))
            close_row<T, Op>(bins, found[i]);
    }
}

template <class T, class Op>
HWY_ATTR void take(const T* x, const std::uint32_t* found, std::size_t count, const bin_odometers<T>& bins) {
    if constexpr (lanes<T> >= 4)
        take_by_vectors<T, Op>(x, found, count, bins);
    else
        portable::take<T, Op>(x, found, count, bins);
}
template <class T, class Op>
struct odometers {
    static constexpr bin_odometer_kernels<T> table{&clear<T, Op>, &take<T, Op>, &total<T, Op>};
};

template <class T>
HWY_ATTR std::uint64_t place_few(const T* x, const std::uint32_t* found, std::size_t count, T* const* ends) {
    return portable::place_few_inline(x, found, count, ends);
}
inline HWY_ATTR std::size_t count_equal(const std::uint32_t* found, std::size_t count, std::uint32_t bin) {
    const full<std::uint32_t> d;
    const auto wanted = hn::Set(d, bin);
    auto equal = hn::Zero(d);  // minus how many
    std::size_t i = 0;
    for (; i + lanes<std::uint32_t> <= count; i += lanes<std::uint32_t>)
        equal = hn::Add(equal, hn::VecFromMask(d, hn::Eq(hn::LoadU(d, found + i), wanted)));
    const std::size_t whole = std::uint32_t{0} - hn::GetLane(hn::SumOfLanes(d, equal));
    return whole + portable::count_equal(found + i, count - i, bin);
}

}  // namespace upsweep::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

#endif  // include guard

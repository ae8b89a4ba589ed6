// Bins of elements, a vector at a time: find_bin's own difference, product and quotient for floating point,
// a product of 53 bits for integers.

#if defined(UPSWEEP_BIN_KERNELS_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef UPSWEEP_BIN_KERNELS_INL_HPP
#undef UPSWEEP_BIN_KERNELS_INL_HPP
#else
#define UPSWEEP_BIN_KERNELS_INL_HPP
#endif

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "src/cpu/portable_bins.hpp"
#include "src/cpu/vector-inl.hpp"

#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128  // the portable level needs no vector bodies
HWY_BEFORE_NAMESPACE();
namespace upsweep::cpu::HWY_NAMESPACE {

// What elements below, and not below, the range get.
template <class T>
std::uint32_t bin_below(const bin_range<T>& range) {
    return range.clamp ? 0 : range.count;
}
template <class T>
std::uint32_t bin_above(const bin_range<T>& range) {
    return range.clamp ? range.count - 1 : range.count;
}

// Whole vectors from the first element on; each returns how many elements are done.
HWY_ATTR inline std::size_t find_whole(const float* x, std::size_t count, const bin_range<float>& range,
                                       std::uint32_t* found) {
    const full<float> d;
    const full<std::int32_t> di;
    const auto of = [&](std::uint32_t bin) HWY_ATTR { return hn::Set(di, static_cast<std::int32_t>(bin)); };
    const auto lo = hn::Set(d, range.lo);
    const auto hi = hn::Set(d, range.hi);
    const auto width = hn::Set(d, range.hi - range.lo);
    const auto times = hn::Set(d, static_cast<float>(range.count));
    const auto last = of(range.count - 1);
    const auto none = of(range.count), below = of(bin_below(range)), above = of(bin_above(range));
    std::size_t i = 0;
    for (; i + lanes<float> <= count; i += lanes<float>) {
        const auto v = hn::LoadU(d, x + i);
        const auto bin = hn::Min(hn::ConvertTo(di, hn::Div(hn::Mul(hn::Sub(v, lo), times), width)), last);
        auto picked = hn::IfThenElse(hn::RebindMask(di, hn::Lt(v, lo)), below, bin);
        picked = hn::IfThenElse(hn::RebindMask(di, hn::Ge(v, hi)), above, picked);
        picked = hn::IfThenElse(hn::RebindMask(di, hn::IsNaN(v)), none, picked);
        hn::StoreU(hn::BitCast(full<std::uint32_t>(), picked), full<std::uint32_t>(), found + i);
    }
    return i;
}

// Doubles that are bins already, as integers.
HWY_INLINE void store_bins(vector<double> bins, std::uint32_t* to) {
    const hn::Rebind<std::int32_t, full<double>> di;
    const hn::Rebind<std::uint32_t, full<double>> du;
    hn::StoreU(hn::BitCast(du, hn::DemoteTo(di, bins)), du, to);
}

HWY_ATTR inline std::size_t find_whole(const double* x, std::size_t count, const bin_range<double>& range,
                                       std::uint32_t* found) {
    const full<double> d;
    const auto lo = hn::Set(d, range.lo);
    const auto hi = hn::Set(d, range.hi);
    const auto width = hn::Set(d, range.hi - range.lo);
    const auto times = hn::Set(d, range.count), none = times;
    const auto last = hn::Set(d, range.count - 1);
    const auto below = hn::Set(d, bin_below(range)), above = hn::Set(d, bin_above(range));
    std::size_t i = 0;
    for (; i + lanes<double> <= count; i += lanes<double>) {
        const auto v = hn::LoadU(d, x + i);
        const auto bin = hn::Min(hn::Div(hn::Mul(hn::Sub(v, lo), times), width), last);
        auto picked = hn::IfThenElse(hn::Lt(v, lo), below, bin);
        picked = hn::IfThenElse(hn::Ge(v, hi), above, picked);
        picked = hn::IfThenElse(hn::IsNaN(v), none, picked);
        store_bins(picked, found + i);
    }
    return i;
}

// Integers below 2^52 as doubles: with 2^52 in front of them they are its last bits.
HWY_INLINE vector<double> doubles_of(vector<std::uint64_t> v) {
    const full<double> d;
    const full<std::uint64_t> bits;
    const auto above = hn::Set(bits, 0x4330000000000000u);
    return hn::Sub(hn::BitCast(d, hn::Or(v, above)), hn::Set(d, 0x1p52));
}

// As many elements of up to 32 bits as there are 64-bit lanes, in such lanes.
template <class T>
HWY_INLINE vector<std::uint64_t> load_wide(const T* x) {
    const full<std::uint64_t> d;
    if constexpr (sizeof(T) == 8) {
        return hn::BitCast(d, hn::LoadU(full<T>(), x));
    } else {
        using word = std::conditional_t<std::is_signed_v<T>, std::int32_t, std::uint32_t>;
        using wide = std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>;
        const hn::Rebind<word, full<wide>> words;
        const auto v = hn::LoadU(hn::Rebind<T, full<wide>>(), x);
        if constexpr (sizeof(T) == 4)
            return hn::BitCast(d, hn::PromoteTo(full<wide>(), v));
        else
            return hn::BitCast(d, hn::PromoteTo(full<wide>(), hn::PromoteTo(words, v)));
    }
}

template <class T>
HWY_ATTR std::size_t find_whole_integers(const T* x, std::size_t count, const prepared_range<T>& bins,
                                         std::uint32_t* found) {
    using wide = std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>;
    const bin_range<T>& range = bins.range;
    const full<wide> d;
    const full<std::uint64_t> du;
    const full<double> df;
    const auto lo = hn::Set(d, static_cast<wide>(range.lo));
    const auto width =
        hn::Set(du, static_cast<std::uint64_t>(range.hi) - static_cast<std::uint64_t>(range.lo));
    const auto slope = hn::Set(df, bins.slope), bias = hn::Set(df, bins.bias);
    const auto below = hn::Set(df, bin_below(range)), above = hn::Set(df, bin_above(range));
    constexpr std::size_t step = lanes<double>;
    std::size_t i = 0;
    for (; i + step <= count; i += step) {
        const auto v = hn::BitCast(d, load_wide(x + i));
        const auto offset = hn::BitCast(du, hn::Sub(v, lo));
        const auto bin = hn::Add(hn::Mul(doubles_of(offset), slope), bias);
        // lo <= v < hi, for an offset of what is below lo wraps to more than any width.
        const auto inside = hn::RebindMask(df, hn::Lt(offset, width));
        const auto outside = hn::IfThenElse(hn::RebindMask(df, hn::Lt(v, lo)), below, above);
        store_bins(hn::IfThenElse(inside, bin, outside), found + i);
    }
    return i;
}

template <class T>
HWY_ATTR void find_bins(const T* x, std::size_t count, const prepared_range<T>& bins, std::uint32_t* found) {
    std::size_t done = 0;
    if (bins.by_vectors) {
        if constexpr (std::is_floating_point_v<T>)
            done = find_whole(x, count, bins.range, found);
        else
            done = find_whole_integers(x, count, bins, found);
    }
    portable::find_bins(x + done, count - done, bins, found + done);
}

}  // namespace upsweep::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

#endif  // include guard

// Recurrences that decay: what of their arithmetic shows, and products of coefficients without arithmetic on
// subnormal numbers (careful_product.hpp says why).
//
// A result is fl(t + x), where t is the product of a coefficient and what stands further to the left. If |t|
// is below a quarter of the space from |x| to the next smaller number, the result is x: whatever has decayed
// so far needs no arithmetic. How large results have to be for that follows from what is left out; those
// that are smaller are computed in full.

#if defined(UPSWEEP_DECAY_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef UPSWEEP_DECAY_INL_HPP
#undef UPSWEEP_DECAY_INL_HPP
#else
#define UPSWEEP_DECAY_INL_HPP
#endif

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "src/cpu/careful_product.hpp"
#include "src/cpu/vector-inl.hpp"

#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128  // the portable level needs no vector bodies
HWY_BEFORE_NAMESPACE();
namespace upsweep::cpu::HWY_NAMESPACE {

// Whether products of these may be subnormal.
template <class T>
HWY_INLINE bool has_small(vector<T> coefficients) {
    const full<T> d;
    return !hn::AllTrue(d, hn::Ge(hn::Abs(coefficients), hn::Set(d, float_format<T>::small)));
}

#if HWY_NATIVE_FMA
// The left fold of coefficients in every lane, times a power of two, so that products that are subnormal are
// not. The smallest normal number becomes `border`, and numbers from it to twice itself are as far apart as
// all below, so that adding it rounds as subnormal numbers are rounded.
template <class T>
class scaled_fold {
  public:
    using V = vector<T>;

    HWY_INLINE explicit scaled_fold(V product) {
        const auto subnormal = hn::Lt(hn::Abs(product), set(limits::min()));
        // 0, 1, 2, ... times the smallest number become the numbers from border on, in order, less border.
        const V moved = from_bits(hn::Add(bits_of(hn::Abs(product)), bits_of(set(border))));
        folded_ = hn::IfThenElse(subnormal, hn::CopySign(hn::Sub(moved, set(border)), product),
                                 hn::Mul(hn::IfThenZeroElse(subnormal, product), set(scale)));
    }
    HWY_INLINE void take(V a) {
        const V product = hn::Mul(folded_, a);
        const V rounded = hn::Sub(hn::MulAdd(hn::Abs(folded_), hn::Abs(a), set(border)), set(border));
        folded_ = hn::IfThenElse(is_below(product), hn::CopySign(rounded, product), product);
    }
    // Not of use if a product so far was too large to be kept so, or was no number.
    HWY_INLINE V value() const {
        const auto below = is_below(folded_);
        const V subnormal =
            from_bits(hn::Sub(bits_of(hn::Add(hn::Abs(folded_), set(border))), bits_of(set(border))));
        return hn::IfThenElse(below, hn::CopySign(subnormal, folded_),
                              hn::Mul(hn::IfThenElse(below, set(border), folded_), set(1 / scale)));
    }
    HWY_INLINE bool is_finite() const { return hn::AllTrue(d, hn::IsFinite(folded_)); }

  private:
    static constexpr full<T> d{};
    using limits = std::numeric_limits<T>;
    using bits = hn::RebindToUnsigned<full<T>>;
    static constexpr T scale = sizeof(T) == 4 ? T(0x1p60) : T(0x1p540);
    static constexpr T border = limits::min() * scale;

    static HWY_INLINE V set(T x) { return hn::Set(d, x); }
    static HWY_INLINE auto bits_of(V x) { return hn::BitCast(bits(), x); }
    static HWY_INLINE V from_bits(hn::Vec<bits> x) { return hn::BitCast(d, x); }
    static HWY_INLINE auto is_below(V x) { return hn::Lt(hn::Abs(x), set(border)); }

    V folded_;
};
#endif

// first * second, of which `first` may be small.
template <class T>
HWY_INLINE vector<T> product_of_small(vector<T> first, vector<T> second) {
#if HWY_NATIVE_FMA
    scaled_fold<T> scaled(first);
    scaled.take(second);
    if (HWY_LIKELY(scaled.is_finite())) return scaled.value();
#endif
    return hn::Mul(first, second);
}

template <class T>
HWY_INLINE vector<T> without_small(vector<T> coefficients) {
    return hn::IfThenElseZero(hn::Ge(hn::Abs(coefficients), hn::Set(full<T>(), float_format<T>::small)),
                              coefficients);
}
template <class T>
HWY_INLINE vector<T> at_least_small(vector<T> coefficients) {
    const vector<T> small = hn::Set(full<T>(), float_format<T>::small);
    const vector<T> magnitude = hn::Abs(coefficients);
    return hn::IfThenElse(hn::Lt(magnitude, small), small, magnitude);
}

// Results from some of the maps to the left, or with coefficients that are small taken for zero, and whether
// they are those from all.
template <class T>
struct near_results {
    using limits = std::numeric_limits<T>;
    // Coefficients in the row are below it in magnitude, and their products of two below its square.
    static constexpr T bound = 2;
    // Results have to be this many times as large as what is left out; 4 would do for 16, but for roundings.
    // Multiplied by coefficients first: if those overflow, b = 0 behind them makes no number, which suffices
    // for nothing.
    static constexpr T share = bound * bound * T(std::uint64_t{1} << (limits::digits + 4));
    static constexpr T least = limits::min() * share;

    // smallest: of the results' magnitudes; lost: the sum of |b| of what is left out, each times `share` and
    // the coefficients between it and the row; coefficients: with the bits of all of the row.
    static HWY_INLINE bool suffice(vector<T> smallest, vector<T> lost, vector<T> coefficients) {
        const full<T> d;
        const auto needed = hn::Add(lost, hn::Set(d, least));
        return are_at_least(smallest, needed, coefficients) &&
               hn::AllTrue(d, hn::Lt(needed, hn::Set(d, limits::infinity())));
    }
    static HWY_INLINE bool are_at_least(vector<T> smallest, vector<T> needed, vector<T> coefficients) {
        const full<T> d;
        return hn::AllTrue(
            d, hn::And(hn::Ge(smallest, needed), hn::Lt(hn::Abs(coefficients), hn::Set(d, bound))));
    }
};

// How much a row needs of what stands to its left: from the inside R, T and S, as far as there are any. If
// checked, results below `least`, or of coefficients from near_results::bound on, need all of it.
template <class T>
struct needed_maps {
    std::size_t used;  // maps from the inside
    bool checked = false;
    T least = 0;
};

// The same of all rows of a tile, which have T and S in common. With one map, coefficients of runs that are
// small count as zero.
template <class T>
class needs_of_rows {
  public:
    HWY_INLINE explicit needs_of_rows(const affine_state<T>& state)
        : inner_(state.has_tiles ? state.tiles : state.supers),
          outer_count_(state.has_tiles ? 2 : 1),
          decayed_(state.has_tiles && format::is_small(state.tiles.a)),
          beyond_(state.has_tiles ? at_least_small(state.tiles.a) * std::abs(state.supers.b) : T(0)) {}

    // Of a row after others, of which R is composed; total: of the row.
    HWY_INLINE needed_maps<T> of(const affine_map<T>& rows, const affine_map<T>& total) const {
        needed_maps<T> needed{outer_count_ + 1};
        if (HWY_UNLIKELY(format::is_small(rows.a))) {
            const T lost = share * at_least_small(rows.a) * (std::abs(inner_.b) + beyond_);
            if (try_with(1, lost + of_small_runs(rows), rows, total, needed)) return needed;
        }
        if (HWY_UNLIKELY(decayed_))
            try_with(2, share * at_least_small(rows.a) * beyond_, rows, total, needed);
        return needed;
    }
    HWY_INLINE needed_maps<T> of_first(const affine_map<T>& total) const {
        needed_maps<T> needed{outer_count_};
        if (HWY_UNLIKELY(decayed_ || (outer_count_ == 1 && format::is_small(total.a))))
            try_with(1, share * beyond_ + of_small_runs(inner_), inner_, total, needed);
        return needed;
    }

  private:
    using format = float_format<T>;
    using limits = std::numeric_limits<T>;

    static constexpr T share = near_results<T>::share;

    static HWY_INLINE T of_small_runs(const affine_map<T>& first) {
        return share * format::small * std::abs(first.b);
    }
    static HWY_INLINE T at_least_small(T a) { return format::is_small(a) ? format::small : std::abs(a); }
    // Whether the first `used` will do, but for a few results. lost: as near_results has it.
    static HWY_INLINE bool try_with(std::size_t used, T lost, const affine_map<T>& first,
                                    const affine_map<T>& total, needed_maps<T>& needed) {
        // Results are seldom below a 4096th of what is before the row and after it.
        const T usual = std::max(std::abs(first.b), std::abs(total.b)) * T(0x1p-12);
        const T least = lost + near_results<T>::least;
        if (!(least <= usual && least < limits::infinity())) return false;
        needed = {used, true, least};
        return true;
    }

    affine_map<T> inner_;  // T, or else S
    std::size_t outer_count_;
    bool decayed_;
    T beyond_;  // |b| of S times the coefficient of T
};

}  // namespace upsweep::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

#endif

// What stands in vector lanes for elements of an array: themselves, or integers of the same order.

#if defined(UPSWEEP_CODECS_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef UPSWEEP_CODECS_INL_HPP
#undef UPSWEEP_CODECS_INL_HPP
#else
#define UPSWEEP_CODECS_INL_HPP
#endif

#include <limits>
#include <type_traits>

#include "src/cpu/vector-inl.hpp"
#include "upsweep/cpu/kernels.hpp"

#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128  // the portable level needs no vector bodies
HWY_BEFORE_NAMESPACE();
namespace upsweep::cpu::HWY_NAMESPACE {

// How elements of T stand in vector lanes. Integers as they are.
template <class T, class Op>
struct lane_codec {
    using lane = T;
    static constexpr bool is_free = true;
    static HWY_INLINE vector<lane> encode(vector<T> v) { return v; }
    static HWY_INLINE vector<T> decode(vector<lane> v) { return v; }
};

// Floats as signed integers of the same order: negative numbers have their other bits inverted. Every NaN
// becomes the one that wins: above +infinity for maximum, below -infinity for minimum.
template <class T, class Op>
requires std::is_floating_point_v<T>
struct lane_codec<T, Op> {
    using lane = hwy::MakeSigned<T>;
    static constexpr bool is_free = false;
    static constexpr bool is_maximum = std::is_same_v<Op, maximum>;

    static HWY_INLINE vector<lane> flip(vector<lane> bits) {
        const full<lane> d;
        const auto sign = hn::ShiftRight<sizeof(lane) * 8 - 1>(bits);
        return hn::Xor(bits, hn::And(sign, hn::Set(d, hwy::LimitsMax<lane>())));
    }
    static HWY_INLINE vector<lane> encode(vector<T> v) {
        const auto nan = hn::Set(full<T>(), is_maximum ? std::numeric_limits<T>::quiet_NaN()
                                                       : -std::numeric_limits<T>::quiet_NaN());
        return flip(hn::BitCast(full<lane>(), hn::IfThenElse(hn::IsNaN(v), nan, v)));
    }
    static HWY_INLINE vector<T> decode(vector<lane> v) { return hn::BitCast(full<T>(), flip(v)); }
};

// Floats as they are: right while there is neither a NaN nor a -0 among them, and then the vector unit's own
// minimum and maximum are those of IEEE 754-2019.
template <class T>
struct plain_codec {
    using lane = T;
    static constexpr bool is_free = true;
    static HWY_INLINE vector<T> encode(vector<T> v) { return v; }
    static HWY_INLINE vector<T> decode(vector<T> v) { return v; }
};

template <class Codec, class T>
HWY_INLINE vector<typename Codec::lane> load_as(const T* p) {
    return Codec::encode(hn::LoadU(full<T>(), p));
}
// Streamed: p is aligned to the vector.
template <class Codec, placement Where = placement::cached, class T>
HWY_INLINE void store_as(vector<typename Codec::lane> v, T* p) {
    if constexpr (Where == placement::streamed)
        hn::Stream(Codec::decode(v), full<T>(), p);
    else
        hn::StoreU(Codec::decode(v), full<T>(), p);
}

}  // namespace upsweep::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

#endif

// Where keys are that lie in an interval.

#if defined(UPSWEEP_FIND_KERNELS_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef UPSWEEP_FIND_KERNELS_INL_HPP
#undef UPSWEEP_FIND_KERNELS_INL_HPP
#else
#define UPSWEEP_FIND_KERNELS_INL_HPP
#endif

#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "src/cpu/key_interval.hpp"
#include "src/cpu/vector-inl.hpp"

#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128  // the portable level needs no vector bodies
HWY_BEFORE_NAMESPACE();
namespace upsweep::cpu::HWY_NAMESPACE {

// Whether lanes are in an interval that is not everything. Vectors compare signed integers.
template <class Word, bool Floating>
class interval_test {
    using number = std::make_signed_t<Word>;

  public:
    HWY_ATTR explicit interval_test(const key_interval<Word>& interval)
        : base_(hn::Set(full<Word>(), static_cast<Word>(interval.base + top_bit<Word>))),
          size_(hn::Set(full<number>(), static_cast<number>((interval.span + 1) ^ top_bit<Word>))) {}

    HWY_ATTR auto operator()(vector<Word> bits) const {
        const full<Word> d;
        const full<number> as_signed;
        if constexpr (Floating) {
            const auto sign = hn::BitCast(d, hn::BroadcastSignBit(hn::BitCast(as_signed, bits)));
            bits = hn::Xor(bits, hn::Or(sign, hn::Set(d, top_bit<Word>)));
        }
        return hn::RebindMask(d, hn::Lt(hn::BitCast(as_signed, hn::Sub(bits, base_)), size_));
    }

  private:
    vector<Word> base_;
    vector<number> size_;
};

template <class Word, bool Floating>
HWY_ATTR found_keys find(const Word* keys, std::size_t n, const key_interval<Word>& interval,
                         std::uint32_t first, std::uint32_t* places, std::size_t room) {
    static_assert(found_at_once == 64);
    if (interval.span == std::numeric_limits<Word>::max())
        return portable::find<Word, Floating>(keys, n, interval, first, places, room);
    const full<Word> d;
    const interval_test<Word, Floating> is_within(interval);
    std::size_t i = 0, found = 0;
    const auto append = [&](std::uint64_t bits) {
        for (; bits != 0; bits &= bits - 1)
            places[found++] =
                first + static_cast<std::uint32_t>(i) + static_cast<std::uint32_t>(std::countr_zero(bits));
    };
    std::uint64_t bits = 0;
    for (; i + 64 <= n && room - found >= 64; i += 64) {
        // Most often there is none.
        auto any = is_within(hn::LoadU(d, keys + i));
        for (std::size_t k = lanes<Word>; k < 64; k += lanes<Word>)
            any = hn::Or(any, is_within(hn::LoadU(d, keys + i + k)));
        if (HWY_LIKELY(hn::AllFalse(d, any))) continue;
        mark_elements(keys + i, 64, &bits, is_within);
        append(bits);
    }
    if (i < n && n - i < 64 && room - found >= 64) {
        mark_elements(keys + i, n - i, &bits, is_within);
        append(bits);
        i = n;
    }
    return {i, found};
}

}  // namespace upsweep::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

#endif  // include guard

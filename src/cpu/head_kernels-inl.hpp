// Where segments begin: bits as places, and whether offsets are in order.

#if defined(UPSWEEP_HEAD_KERNELS_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef UPSWEEP_HEAD_KERNELS_INL_HPP
#undef UPSWEEP_HEAD_KERNELS_INL_HPP
#else
#define UPSWEEP_HEAD_KERNELS_INL_HPP
#endif

#include <cstddef>
#include <cstdint>

#include "src/cpu/portable_heads.hpp"
#include "src/cpu/vector-inl.hpp"
#include "upsweep/cpu/kernels.hpp"

#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128  // the portable level needs no vector bodies
HWY_BEFORE_NAMESPACE();
namespace upsweep::cpu::HWY_NAMESPACE {

struct segment_heads {
    static HWY_ATTR std::size_t list(const std::uint64_t* bits, std::size_t words, std::uint32_t* places) {
        constexpr std::size_t few = 4;  // of a word, written without a look at how many it has
        std::size_t at = 0;
        for (std::size_t word = 0; word < words; ++word) {
            std::uint64_t left = bits[word];
            const auto count = static_cast<std::size_t>(__builtin_popcountll(left));
            for (std::size_t k = 0; k < few || k < count; ++k, left &= left - 1) {
                const std::uint64_t last = std::uint64_t{1} << 63;  // where none is left
                places[at + k] = static_cast<std::uint32_t>(
                    64 * word + static_cast<std::size_t>(__builtin_ctzll(left | last)));
            }
            at += count;
        }
        return at;
    }
    // With its sign, no number is below 0, nor is what one is above the one before it; which cannot overflow
    // before that is found.
    template <class T>
    static HWY_ATTR bool ascend(const void* numbers, std::size_t n) {
        const full<T> d;
        const auto* x = static_cast<const T*>(numbers);
        constexpr std::size_t together = 4 * lanes<T>;
        std::size_t i = 0;
        for (; i + together < n; i += together) {
            auto seen = hn::Zero(d);
            for (std::size_t k = i; k < i + together; k += lanes<T>) {
                const auto v = hn::LoadU(d, x + k);
                seen = hn::Or(seen, hn::Or(v, hn::Sub(hn::LoadU(d, x + k + 1), v)));
            }
            if (!hn::AllFalse(d, hn::MaskFromVec(hn::BroadcastSignBit(seen)))) return false;
        }
        return portable::segment_heads::ascend<T>(x + i, n - i);
    }
    static constexpr head_kernels table{&list, {&ascend<std::int32_t>, &ascend<std::int64_t>}};
};

}  // namespace upsweep::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

#endif

// Copies and conversions of the staging layer.

#if defined(UPSWEEP_MEMORY_KERNELS_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef UPSWEEP_MEMORY_KERNELS_INL_HPP
#undef UPSWEEP_MEMORY_KERNELS_INL_HPP
#else
#define UPSWEEP_MEMORY_KERNELS_INL_HPP
#endif

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "hwy/cache_control.h"
#include "src/cpu/memory_table.hpp"
#include "src/cpu/portable_memory.hpp"
#include "src/cpu/vector-inl.hpp"
#include "upsweep/cpu/kernels.hpp"

#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128  // the portable level needs no vector bodies
HWY_BEFORE_NAMESPACE();
namespace upsweep::cpu::HWY_NAMESPACE {

struct memory {
    static HWY_ATTR void stream(void* dst, const void* src, std::size_t bytes, const void* ahead) {
        const full<std::uint8_t> d;
        constexpr std::size_t width = lanes<std::uint8_t>;
        constexpr std::size_t step = std::max<std::size_t>(64, width);
        auto* to = static_cast<std::uint8_t*>(dst);
        const auto* from = static_cast<const std::uint8_t*>(src);
        const auto* next = static_cast<const std::uint8_t*>(ahead);
        const std::size_t head =
            std::min(bytes, (width - reinterpret_cast<std::uintptr_t>(to) % width) % width);
        std::memcpy(to, from, head);
        std::size_t i = head;
        for (; i + step <= bytes; i += step) {
            if (next != nullptr) hwy::Prefetch(next + i);
            for (std::size_t k = 0; k < step; k += width)
                hn::Stream(hn::LoadU(d, from + i + k), d, to + i + k);
        }
        for (; i + width <= bytes; i += width) hn::Stream(hn::LoadU(d, from + i), d, to + i);
        std::memcpy(to + i, from + i, bytes - i);
    }

    static void fence() { hwy::FlushStream(); }

    template <class T>
    static HWY_ATTR void reverse(void* dst, const void* src, std::size_t count) {
        const full<T> d;
        auto* to = static_cast<T*>(dst) + count;
        const auto* from = static_cast<const T*>(src);
        std::size_t i = 0;
        for (; i + lanes<T> <= count; i += lanes<T>)
            hn::StoreU(reversed(hn::LoadU(d, from + i)), d, to - i - lanes<T>);
        for (; i < count; ++i) *(to - i - 1) = from[i];
    }

    template <class T>
    static HWY_ATTR void transpose(void* dst, std::ptrdiff_t dst_stride, const void* src,
                                   std::ptrdiff_t src_stride, std::size_t rows, std::size_t columns) {
        constexpr std::size_t k = block_lanes<T>;
        const full<T> d;
        auto* to = static_cast<T*>(dst);
        const auto* from = static_cast<const T*>(src);
        std::size_t row = 0;
        for (; row + lanes<T> <= rows;
             row += lanes<T>, from += static_cast<std::ptrdiff_t>(lanes<T>) * src_stride) {
            std::size_t column = 0;
            for (; column + k <= columns; column += k) {
                vector<T> v[k];
                load_transposed<T>(from + column, src_stride, v);
                for (std::size_t i = 0; i < k; ++i) {
                    hn::StoreU(v[i], d, to + static_cast<std::ptrdiff_t>(column + i) * dst_stride + row);
                }
            }
            portable::memory::transpose<T>(to + static_cast<std::ptrdiff_t>(column) * dst_stride + row,
                                           dst_stride, from + column, src_stride, lanes<T>, columns - column);
        }
        portable::memory::transpose<T>(to + row, dst_stride, from, src_stride, rows - row, columns);
    }

    template <class T>
    static HWY_ATTR void deinterleave(void* lines, std::size_t pitch, const void* rows, std::size_t count,
                                      std::size_t columns) {
        auto* to = static_cast<T*>(lines);
        const auto* from = static_cast<const T*>(rows);
        const std::size_t done = by_columns(
            columns,
            [&]<std::size_t Columns>() HWY_ATTR { return take_apart<Columns>(to, pitch, from, count); },
            [&]() HWY_ATTR { return load_columns(to, pitch, from, count, columns); });
        portable::memory::deinterleave<T>(to + done, pitch, from + done * columns, count - done, columns);
    }
    template <class T>
    static HWY_ATTR void interleave(void* rows, const void* lines, std::size_t pitch, std::size_t count,
                                    std::size_t columns) {
        auto* to = static_cast<T*>(rows);
        const auto* from = static_cast<const T*>(lines);
        const std::size_t done = by_columns(
            columns,
            [&]<std::size_t Columns>() HWY_ATTR { return put_together<Columns>(to, from, pitch, count); },
            [&]() HWY_ATTR { return store_columns(to, from, pitch, count, columns); });
        portable::memory::interleave<T>(to + done * columns, from + done, pitch, count - done, columns);
    }

    template <class T>
    static HWY_ATTR void mark_nonzero(const void* words, std::size_t count, std::uint64_t* bits) {
        mark_elements(static_cast<const T*>(words), count, bits,
                      [](vector<T> e) HWY_ATTR { return hn::Not(hn::Eq(e, hn::Zero(full<T>()))); });
    }
    template <class T>
    static HWY_ATTR void mark_changes(const void* keys, std::size_t count, std::uint64_t* bits) {
        const full<T> d;
        const auto* x = static_cast<const T*>(keys);
        const std::size_t done = mark_words<T>(count, bits, [&](std::size_t i) HWY_ATTR {
            return hn::Not(hn::Eq(hn::LoadU(d, x + i), hn::LoadU(d, x + static_cast<std::ptrdiff_t>(i) - 1)));
        });
        portable::memory::mark_changes<T>(x + done, count - done, bits + done / 64);
    }

    // convert(i) of vectors of floats from element i on, all of `count`; the last one ends with the last
    // element, of which some may be done twice. Fewer than a vector are left to rest(). Four at a time: of
    // two instructions, a loop's own are half as many again.
    template <class Convert, class Rest>
    static HWY_INLINE void convert_all(std::size_t count, const Convert& convert, const Rest& rest) {
        constexpr std::size_t width = lanes<float>;
        if (count < width) return rest();
        constexpr std::size_t at_once = 4;
        std::size_t i = 0;
        for (; i + at_once * width <= count; i += at_once * width)
            for (std::size_t k = 0; k < at_once; ++k) convert(i + k * width);
        for (; i + width <= count; i += width) convert(i);
        if (i != count) convert(count - width);
    }
    static HWY_ATTR void float_from_bfloat16(float* dst, const void* src, std::size_t count) {
        const full<std::uint32_t> d;
        const hn::Rebind<std::uint16_t, full<std::uint32_t>> half;
        const auto* from = static_cast<const std::uint16_t*>(src);
        const auto convert = [&](std::size_t i) HWY_ATTR {
            const auto wide = hn::ShiftLeft<16>(hn::PromoteTo(d, hn::LoadU(half, from + i)));
            hn::StoreU(hn::BitCast(full<float>(), wide), full<float>(), dst + i);
        };
        convert_all(count, convert, [&] { portable::memory::float_from_bfloat16(dst, from, count); });
    }
    // The same bit manipulation as upsweep::bfloat16, on vectors.
    static HWY_ATTR void bfloat16_from_float(void* dst, const float* src, std::size_t count) {
        const full<std::uint32_t> d;
        const full<float> df;
        const hn::Rebind<std::uint16_t, full<std::uint32_t>> half;
        auto* to = static_cast<std::uint16_t*>(dst);
        const auto convert = [&](std::size_t i) HWY_ATTR {
            const auto value = hn::LoadU(df, src + i);
            const auto word = hn::BitCast(d, value);
            const auto high = hn::ShiftRight<16>(word);
            const auto odd = hn::And(high, hn::Set(d, 1u));
            const auto rounded = hn::ShiftRight<16>(hn::Add(hn::Add(word, hn::Set(d, 0x7fffu)), odd));
            const auto quiet = hn::Or(high, hn::Set(d, 0x40u));
            const auto picked = hn::IfThenElse(hn::RebindMask(d, hn::IsNaN(value)), quiet, rounded);
            store_low_halves(picked, half, to + i);
        };
        convert_all(count, convert, [&] { portable::memory::bfloat16_from_float(to, src, count); });
    }

    // Whether this level converts float16 by instructions of its own, which round as upsweep::float16 does.
    static constexpr bool converts_float16 = HWY_ARCH_ARM_A64 || (HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2);

    // Otherwise by the definition of upsweep::float16, on vectors.
    static HWY_ATTR void float_from_float16(float* dst, const void* src, std::size_t count) {
        if constexpr (converts_float16) {
            const full<float> df;
            const hn::Rebind<hwy::float16_t, full<float>> half;
            const auto* from = static_cast<const std::uint16_t*>(src);
            const hn::Rebind<std::uint16_t, full<float>> bits;
            const auto convert = [&](std::size_t i) HWY_ATTR {
                hn::StoreU(hn::PromoteTo(df, hn::BitCast(half, hn::LoadU(bits, from + i))), df, dst + i);
            };
            convert_all(count, convert, [&] { portable::memory::float_from_float16(dst, from, count); });
        } else {
            float_from_float16_bits(dst, src, count);
        }
    }
    static HWY_INLINE void float_from_float16_bits(float* dst, const void* src, std::size_t count) {
        const full<std::uint32_t> d;
        const full<float> df;
        const hn::Rebind<std::uint16_t, full<std::uint32_t>> half;
        const auto* from = static_cast<const std::uint16_t*>(src);
        const auto convert = [&](std::size_t i) HWY_ATTR {
            const auto wide = hn::PromoteTo(d, hn::LoadU(half, from + i));
            const auto sign = hn::ShiftLeft<16>(hn::And(wide, hn::Set(d, 0x8000u)));
            const auto magnitude = hn::And(wide, hn::Set(d, 0x7fffu));
            // Exponent 31 (infinity, NaN) moves to 255, any other gains 112; a subnormal is scaled by one
            // product.
            const auto shifted = hn::ShiftLeft<13>(magnitude);
            const auto special = hn::Gt(magnitude, hn::Set(d, 0x7bffu));
            const auto normal =
                hn::Add(shifted, hn::IfThenElse(special, hn::Set(d, 0x70000000u), hn::Set(d, 0x38000000u)));
            const auto tiny = hn::Lt(magnitude, hn::Set(d, 0x0400u));
            // 2^-14 * (1 + f) - 2^-14 = f * 2^-14 exactly
            const auto scaled = hn::BitCast(
                d,
                hn::Sub(hn::BitCast(df, hn::Add(shifted, hn::Set(d, 0x38800000u))), hn::Set(df, 0x1p-14f)));
            const auto bits = hn::Or(hn::IfThenElse(tiny, scaled, normal), sign);
            hn::StoreU(hn::BitCast(df, bits), df, dst + i);
        };
        convert_all(count, convert, [&] { portable::memory::float_from_float16(dst, from, count); });
    }
    static HWY_ATTR void float16_from_float(void* dst, const float* src, std::size_t count) {
        if constexpr (converts_float16) {
            const full<float> df;
            const hn::Rebind<hwy::float16_t, full<float>> half;
            const hn::Rebind<std::uint16_t, full<float>> bits;
            auto* to = static_cast<std::uint16_t*>(dst);
            const auto convert = [&](std::size_t i) HWY_ATTR {
                hn::StoreU(hn::BitCast(bits, hn::DemoteTo(half, hn::LoadU(df, src + i))), bits, to + i);
            };
            convert_all(count, convert, [&] { portable::memory::float16_from_float(to, src, count); });
        } else {
            float16_from_float_bits(dst, src, count);
        }
    }
    static HWY_INLINE void float16_from_float_bits(void* dst, const float* src, std::size_t count) {
        const full<std::uint32_t> d;
        const full<float> df;
        const hn::Rebind<std::uint16_t, full<std::uint32_t>> half;
        auto* to = static_cast<std::uint16_t*>(dst);
        const auto convert = [&](std::size_t i) HWY_ATTR {
            const auto word = hn::BitCast(d, hn::LoadU(df, src + i));
            const auto magnitude = hn::And(word, hn::Set(d, 0x7fffffffu));
            const auto sign = hn::And(hn::ShiftRight<16>(word), hn::Set(d, 0x8000u));
            const auto odd = hn::And(hn::ShiftRight<13>(magnitude), hn::Set(d, 1u));
            const auto normal =
                hn::ShiftRight<13>(hn::Add(hn::Sub(magnitude, hn::Set(d, 0x38000000u - 0xfffu)), odd));
            const auto aligned = hn::BitCast(d, hn::Add(hn::BitCast(df, magnitude), hn::Set(df, 0.5f)));
            const auto subnormal = hn::Sub(aligned, hn::Set(d, 0x3f000000u));
            const auto nan =
                hn::Or(hn::Set(d, 0x7e00u), hn::And(hn::ShiftRight<13>(magnitude), hn::Set(d, 0x1ffu)));
            auto bits = hn::IfThenElse(hn::Lt(magnitude, hn::Set(d, 0x38800000u)), subnormal, normal);
            bits = hn::IfThenElse(hn::Gt(magnitude, hn::Set(d, 0x477fefffu)), hn::Set(d, 0x7c00u), bits);
            bits = hn::IfThenElse(hn::Gt(magnitude, hn::Set(d, 0x7f800000u)), nan, bits);
            store_low_halves(hn::Or(bits, sign), half, to + i);
        };
        convert_all(count, convert, [&] { portable::memory::float16_from_float(to, src, count); });
    }

  private:
    template <class Few, class More>
    static HWY_INLINE std::size_t by_columns(std::size_t columns, const Few& few, const More& more) {
        return columns == 2   ? few.template operator()<2>()
               : columns == 3 ? few.template operator()<3>()
               : columns == 4 ? few.template operator()<4>()
                              : more();
    }
    // Whole vectors of rows of so many columns; returns how many rows are done.
    template <std::size_t Columns, class T>
    static HWY_INLINE std::size_t take_apart(T* lines, std::size_t pitch, const T* rows, std::size_t count) {
        const std::size_t whole = count - count % lanes<T>;
        for (std::size_t i = 0; i < whole; i += lanes<T>) {
            vector<T> v[Columns];
            load_tuples<Columns, Columns, T>(rows + Columns * i, v);
            for (std::size_t column = 0; column < Columns; ++column)
                hn::StoreU(v[column], full<T>(), lines + column * pitch + i);
        }
        return whole;
    }
    template <std::size_t Columns, class T>
    static HWY_INLINE std::size_t put_together(T* rows, const T* lines, std::size_t pitch,
                                               std::size_t count) {
        const std::size_t whole = count - count % lanes<T>;
        for (std::size_t i = 0; i < whole; i += lanes<T>) {
            vector<T> v[Columns];
            for (std::size_t column = 0; column < Columns; ++column)
                v[column] = hn::LoadU(full<T>(), lines + column * pitch + i);
            store_tuples<Columns, Columns, T>(v, rows + Columns * i);
        }
        return whole;
    }
    // More columns, for vectors of rows: body(row, column) for every block of columns, the last of which lies
    // within those before. Of fewer columns than a block those past the last belong to the next rows, so the
    // last rows are not done.
    template <class T, class Body>
    static HWY_INLINE std::size_t for_each_block(std::size_t count, std::size_t columns, const Body& body) {
        constexpr std::size_t k = block_lanes<T>;
        const std::size_t beyond = (k - 1) / columns;
        const std::size_t whole = count < beyond ? 0 : (count - beyond) / lanes<T> * lanes<T>;
        const std::size_t last = columns < k ? 0 : columns - k;
        for (std::size_t row = 0; row < whole; row += lanes<T>) {
            for (std::size_t column = 0; column < columns; column += k) body(row, std::min(column, last));
        }
        return whole;
    }
    template <class T>
    static HWY_INLINE std::size_t load_columns(T* lines, std::size_t pitch, const T* rows, std::size_t count,
                                               std::size_t columns) {
        constexpr std::size_t k = block_lanes<T>;
        return for_each_block<T>(count, columns, [=](std::size_t row, std::size_t column) HWY_ATTR {
            vector<T> v[k];
            load_transposed<T>(rows + row * columns + column, static_cast<std::ptrdiff_t>(columns), v);
            for (std::size_t j = 0; j < k && column + j < columns; ++j)
                hn::StoreU(v[j], full<T>(), lines + (column + j) * pitch + row);
        });
    }
    // Rows are stored in their order, so that what is stored past one is stored again by the next.
    template <class T>
    static HWY_INLINE std::size_t store_columns(T* rows, const T* lines, std::size_t pitch, std::size_t count,
                                                std::size_t columns) {
        constexpr std::size_t k = block_lanes<T>;
        return for_each_block<T>(count, columns, [=](std::size_t row, std::size_t column) HWY_ATTR {
            vector<T> v[k];
            for (std::size_t j = 0; j < k; ++j)
                v[j] = hn::LoadU(full<T>(), lines + std::min(column + j, columns - 1) * pitch + row);
            upsweep::cpu::HWY_NAMESPACE::transpose<T>(v);
            store_rows(full<T>(), v, rows + row * columns + column, static_cast<std::ptrdiff_t>(columns));
        });
    }
    // Block b of vector i to row b * k + i, in the order of the rows.
    template <class D, class V, class T = hn::TFromD<D>, std::size_t k = block_lanes<T>>
    static HWY_INLINE void store_rows(D d, const V (&v)[k], T* p, std::ptrdiff_t stride) {
        constexpr std::size_t blocks = hn::MaxLanes(D()) / k;
        if constexpr (blocks == 1) {
            for (std::size_t i = 0; i < k; ++i)
                hn::StoreU(v[i], d, p + static_cast<std::ptrdiff_t>(i) * stride);
        } else {
            const hn::Half<D> half;
            hn::Vec<hn::Half<D>> part[k];
            for (std::size_t i = 0; i < k; ++i) part[i] = hn::LowerHalf(half, v[i]);
            store_rows(half, part, p, stride);
            for (std::size_t i = 0; i < k; ++i) part[i] = hn::UpperHalf(half, v[i]);
            store_rows(half, part, p + static_cast<std::ptrdiff_t>(blocks / 2 * k) * stride, stride);
        }
    }

    template <class V>
    static HWY_INLINE V reversed(V v) {
        const hn::DFromV<V> d;
        if constexpr (sizeof(hn::TFromV<V>) == 1) {
            const full<std::uint16_t> pairs;
            const auto swapped = hn::Reverse(pairs, hn::BitCast(pairs, v));
            return hn::BitCast(d, hn::Or(hn::ShiftLeft<8>(swapped), hn::ShiftRight<8>(swapped)));
        } else {
            return hn::Reverse(d, v);
        }
    }
    // Values below 2^16: narrowing loses nothing.
    template <class Half>
    static HWY_INLINE void store_low_halves(vector<std::uint32_t> v, Half half, std::uint16_t* to) {
        const hn::RebindToSigned<full<std::uint32_t>> d;
        hn::StoreU(hn::DemoteTo(half, hn::BitCast(d, v)), half, to);
    }
};
inline constexpr memory_kernels memory_table = memory_table_of<memory>();

}  // namespace upsweep::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

#endif

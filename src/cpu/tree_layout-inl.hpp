// Where elements of the tree stand in registers: runs, groups of rows and run totals, loaded transposed so
// that operands that are combined stand in different registers, and stored back. Forwards or backwards.

#if defined(UPSWEEP_TREE_LAYOUT_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef UPSWEEP_TREE_LAYOUT_INL_HPP
#undef UPSWEEP_TREE_LAYOUT_INL_HPP
#else
#define UPSWEEP_TREE_LAYOUT_INL_HPP
#endif

#include <cstddef>
#include <utility>

#include "src/cpu/vector-inl.hpp"
#include "upsweep/core/tree.hpp"

#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128
HWY_BEFORE_NAMESPACE();
namespace upsweep::cpu::HWY_NAMESPACE {

// Where elements [first, first + count) lie.
template <bool Backwards, class P>
HWY_INLINE P* at(P* x, std::size_t first, std::size_t count) {
    return Backwards ? x - (first + count - 1) : x + first;
}

template <class T>
struct tree_layout {
    static constexpr std::size_t width = lanes<T>;
    static constexpr std::size_t runs = core::row_size / core::run_size;
    static constexpr std::size_t group_rows = width;
    static constexpr std::size_t group_size = group_rows * core::row_size;
    static constexpr std::size_t step = width * core::run_size;  // elements that four registers hold
    static constexpr std::size_t row_steps = core::row_size / step;
    using V = vector<T>;

    // Rows of a group, padded so that columns of run totals fall into different cache sets.
    static constexpr std::size_t totals_stride = runs + block_lanes<T>;

    // Where a run is exactly a 128-bit block, whole vectors are loaded as they lie and lane q of block b
    // holds run q * blocks + b; otherwise lane l holds run l. Backwards, the step's first run is the one that
    // lies last.
    static constexpr bool block_is_run = block_lanes<T> == core::run_size;
    static constexpr std::size_t blocks = width / block_lanes<T>;
    // The lane that holds the i-th run of a step.
    template <bool Backwards>
    static constexpr std::size_t lane_of(std::size_t i) {
        const std::size_t lying = Backwards ? width - 1 - i : i;
        return block_is_run ? lying % blocks * block_lanes<T> + lying / blocks : lying;
    }

    // Four vectors of four lanes in two blocks, transposed.
    static HWY_INLINE void transpose_square(V (&v)[core::run_size]) {
        const full<T> d;
        const V a = hn::InterleaveLower(d, v[0], v[1]);
        const V b = hn::InterleaveUpper(d, v[0], v[1]);
        const V c = hn::InterleaveLower(d, v[2], v[3]);
        const V e = hn::InterleaveUpper(d, v[2], v[3]);
        v[0] = hn::ConcatLowerLower(d, c, a);
        v[1] = hn::ConcatLowerLower(d, e, b);
        v[2] = hn::ConcatUpperUpper(d, c, a);
        v[3] = hn::ConcatUpperUpper(d, e, b);
    }
    // Four vectors of whole runs: v[m] gets item m of every run. Lane q of a run's four holds the run of what
    // was v[q]; the runs stay where they are. Undoes itself.
    static HWY_INLINE void transpose_runs(V (&v)[core::run_size]) {
        if constexpr (block_is_run) {
            transpose<T>(v);
        } else if constexpr (width == core::run_size) {
            transpose_square(v);
        } else {
            static_assert(width == 2 * core::run_size && 2 * block_lanes<T> == core::run_size);
            const full<T> d;
            const V a = hn::InterleaveLower(d, v[0], v[1]);
            const V b = hn::InterleaveUpper(d, v[0], v[1]);
            const V c = hn::InterleaveLower(d, v[2], v[3]);
            const V e = hn::InterleaveUpper(d, v[2], v[3]);
            v[0] = even_blocks(a, c);
            v[1] = even_blocks(b, e);
            v[2] = odd_blocks(a, c);
            v[3] = odd_blocks(b, e);
        }
    }
    // Of every pair of blocks the first one of a and then that of b, or the second ones.
#if HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86
    static HWY_INLINE V even_blocks(V a, V b) {  // of doubles
        return V{_mm512_mask_permutex_pd(a.raw, 0xCC, b.raw, 0x44)};
    }
    static HWY_INLINE V odd_blocks(V a, V b) { return V{_mm512_mask_permutex_pd(b.raw, 0x33, a.raw, 0xEE)}; }
#else
    static HWY_INLINE V even_blocks(V a, V b) { return hn::OddEvenBlocks(hn::SwapAdjacentBlocks(b), a); }
    static HWY_INLINE V odd_blocks(V a, V b) { return hn::OddEvenBlocks(b, hn::SwapAdjacentBlocks(a)); }
#endif
    template <bool Backwards>
    static HWY_INLINE void turn(V (&v)[core::run_size]) {
        if constexpr (Backwards) {
            std::swap(v[0], v[3]);
            std::swap(v[1], v[2]);
        }
    }
    // v[m] holds item m of every run of the step that lies at x.
    template <bool Backwards>
    static HWY_INLINE void load_runs(const T* x, V (&v)[core::run_size]) {
        if constexpr (block_is_run) {
            load_interleaved<T>(x, v);
        } else if constexpr (width == core::run_size) {
            for (std::size_t m = 0; m < core::run_size; ++m) v[m] = hn::LoadU(full<T>(), x + m * width);
            transpose_square(v);
        } else {
            constexpr std::size_t k = block_lanes<T>;
            for (std::size_t m = 0; m < core::run_size; m += k) {
                V part[k];
                load_transposed<T>(x + m, core::run_size, part);
                for (std::size_t i = 0; i < k; ++i) v[m + i] = part[i];
            }
        }
        turn<Backwards>(v);
    }
    template <placement Where, bool Backwards>
    static HWY_INLINE void store_runs(V (&v)[core::run_size], T* y) {
        turn<Backwards>(v);
        if constexpr (block_is_run) {
            store_interleaved<Where, T>(v, y);
        } else if constexpr (width == core::run_size) {
            transpose_square(v);
            for (std::size_t m = 0; m < core::run_size; ++m) {
                if constexpr (Where == placement::cached)
                    hn::StoreU(v[m], full<T>(), y + m * width);
                else
                    store_blocks<Where>(v[m], full<T>(), y + m * width,
                                        static_cast<std::ptrdiff_t>(block_lanes<T>));
            }
        } else {
            constexpr std::size_t k = block_lanes<T>;
            for (std::size_t m = 0; m < core::run_size; m += k) {
                V part[k];
                for (std::size_t i = 0; i < k; ++i) part[i] = v[m + i];
                store_transposed<Where, T>(part, y + m, core::run_size);
            }
        }
    }

    static HWY_INLINE void load_columns(const T* p, std::size_t stride, V (&column)[width]) {
        if constexpr (!block_is_run && width == core::run_size) {
            for (std::size_t r = 0; r < width; ++r) column[r] = hn::LoadU(full<T>(), p + r * stride);
            transpose_square(column);
        } else {
            constexpr std::size_t k = block_lanes<T>;
            for (std::size_t b = 0; b < width; b += k) {
                V part[k];
                load_transposed<T>(p + b, static_cast<std::ptrdiff_t>(stride), part);
                for (std::size_t i = 0; i < k; ++i) column[b + i] = part[i];
            }
        }
    }
    static HWY_INLINE void store_columns(V (&column)[width], T* p, std::size_t stride) {
        if constexpr (!block_is_run && width == core::run_size) {
            transpose_square(column);
            for (std::size_t r = 0; r < width; ++r) hn::StoreU(column[r], full<T>(), p + r * stride);
        } else {
            constexpr std::size_t k = block_lanes<T>;
            for (std::size_t b = 0; b < width; b += k) {
                V part[k];
                for (std::size_t i = 0; i < k; ++i) part[i] = column[b + i];
                store_transposed<placement::cached, T>(part, p + b, static_cast<std::ptrdiff_t>(stride));
            }
        }
    }

    // Fewer elements than a vector has lanes, its first ones, or backwards its last; p is where all of it
    // would lie, of which nothing else is touched. The other lanes are those of `rest`. Backwards never
    // behind a mask: what lies before an array is often no memory, and lanes that are masked out there cost
    // an exception.
    template <bool Backwards>
    static HWY_INLINE V load_few(const T* p, std::size_t count, V rest) {
        const full<T> d;
        if constexpr (!Backwards && HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2) {
            const auto there = hn::FirstN(d, count);
            return hn::IfThenElse(there, hn::MaskedLoad(there, d, p), rest);
        } else {
            HWY_ALIGN T padded[width];
            hn::Store(rest, d, padded);
            const std::size_t first = Backwards ? width - count : 0;
            copy_few(p + first, count, padded + first);
            return hn::Load(d, padded);
        }
    }
    template <bool Backwards>
    static HWY_INLINE void store_few(V v, T* p, std::size_t count) {
        const full<T> d;
        if constexpr (!Backwards && HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3) {
            hn::BlendedStore(v, hn::FirstN(d, count), d, p);
        } else {
            HWY_ALIGN T padded[width];
            hn::Store(v, d, padded);
            const std::size_t first = Backwards ? width - count : 0;
            copy_few(padded + first, count, p + first);
        }
    }

    // A row of which only the first `few` elements are there, and `length` at least are wanted: where all of
    // it would lie at p, to `row`, and `rest` in place of the others.
    template <bool Backwards>
    static HWY_INLINE void fill_row(const T* p, std::size_t few, std::size_t length, V rest, T* row) {
        const full<T> d;
        for (std::size_t i = 0; i < length; i += width) {
            const std::size_t lies = Backwards ? core::row_size - i - width : i;
            const V v = i + width <= few ? hn::LoadU(d, p + lies)
                        : i < few        ? load_few<Backwards>(p + lies, few - i, rest)
                                         : rest;
            hn::Store(v, d, row + lies);
        }
    }

    // Fewer than `step` elements, without the start-up cost of a call or a string instruction.
    static HWY_INLINE void copy_few(const T* from, std::size_t count, T* to) {
        const full<T> d;
        std::size_t i = 0;
        for (; i + width <= count; i += width) hn::StoreU(hn::LoadU(d, from + i), d, to + i);
        for (; i < count; ++i) {
            to[i] = from[i];
            asm volatile("" ::: "memory");  // keeps the loop a loop
        }
    }
};

}  // namespace upsweep::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

#endif

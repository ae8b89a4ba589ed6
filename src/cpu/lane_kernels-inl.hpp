// Sequences side by side, one a vector lane: an axis scan whose neighbours in memory belong to different
// sequences.
//
// Nothing moves between lanes. Four elements of a sequence (a run) are taken at a time, so that the state of
// the lanes above a run, which lies in the first-level cache, is touched once for four elements.

#if defined(UPSWEEP_LANE_KERNELS_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef UPSWEEP_LANE_KERNELS_INL_HPP
#undef UPSWEEP_LANE_KERNELS_INL_HPP
#else
#define UPSWEEP_LANE_KERNELS_INL_HPP
#endif

#include <algorithm>
#include <cstddef>
#include <limits>
#include <type_traits>

#include "src/cpu/portable_kernels.hpp"
#include "src/cpu/vector-inl.hpp"
#include "upsweep/core/tree.hpp"
#include "upsweep/cpu/kernels.hpp"

#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128  // the portable level needs no vector bodies
HWY_BEFORE_NAMESPACE();
namespace upsweep::cpu::HWY_NAMESPACE {

// How elements of T stand in vector lanes. Integers as they are; sums and bitwise operators of signed
// integers as unsigned, which compile to the same instructions.
template <class T, class Op>
struct lane_codec {
    using lane = std::conditional_t<std::is_same_v<Op, minimum> || std::is_same_v<Op, maximum>, T,
                                    std::make_unsigned_t<T>>;
    static HWY_INLINE vector<lane> load(const T* p) {
        return hn::LoadU(full<lane>(), reinterpret_cast<const lane*>(p));
    }
    template <placement Where = placement::cached>
    static HWY_INLINE void store(vector<lane> v, T* p) {
        if constexpr (Where == placement::streamed)
            hn::Stream(v, full<lane>(), reinterpret_cast<lane*>(p));
        else
            hn::StoreU(v, full<lane>(), reinterpret_cast<lane*>(p));
    }
};

// Floats as signed integers of the same order: negative numbers have their other bits inverted. Every NaN
// becomes the one that wins: above +infinity for maximum, below -infinity for minimum.
template <class T, class Op>
requires std::is_floating_point_v<T>
struct lane_codec<T, Op> {
    using lane = hwy::MakeSigned<T>;
    static constexpr bool is_maximum = std::is_same_v<Op, maximum>;

    static HWY_INLINE vector<lane> flip(vector<lane> bits) {
        const full<lane> d;
        const auto sign = hn::ShiftRight<sizeof(lane) * 8 - 1>(bits);
        return hn::Xor(bits, hn::And(sign, hn::Set(d, hwy::LimitsMax<lane>())));
    }
    static HWY_INLINE vector<lane> load(const T* p) {
        const full<T> d;
        const auto v = hn::LoadU(d, p);
        const auto nan = hn::Set(
            d, is_maximum ? std::numeric_limits<T>::quiet_NaN() : -std::numeric_limits<T>::quiet_NaN());
        return flip(hn::BitCast(full<lane>(), hn::IfThenElse(hn::IsNaN(v), nan, v)));
    }
    template <placement Where = placement::cached>
    static HWY_INLINE void store(vector<lane> v, T* p) {
        if constexpr (Where == placement::streamed)
            hn::Stream(hn::BitCast(full<T>(), flip(v)), full<T>(), p);
        else
            hn::StoreU(hn::BitCast(full<T>(), flip(v)), full<T>(), p);
    }
};

// Floats as they are: right while there is neither a NaN nor a -0 among them, and then the vector unit's own
// minimum and maximum are those of IEEE 754-2019.
template <class T>
struct plain_codec {
    using lane = T;
    static HWY_INLINE vector<T> load(const T* p) { return hn::LoadU(full<T>(), p); }
    template <placement Where = placement::cached>
    static HWY_INLINE void store(vector<T> v, T* p) {
        if constexpr (Where == placement::streamed)
            hn::Stream(v, full<T>(), p);
        else
            hn::StoreU(v, full<T>(), p);
    }
};

// The lanes from `lane` on, for what is left after whole vectors.
template <class T>
lane_block<T> lanes_from(lane_block<T> block, std::size_t lane) {
    block.x += lane;
    block.y += lane;
    block.lanes -= lane;
    return block;
}

template <class T, class Op>
struct tree_lanes {
    using V = vector<T>;
    static constexpr std::size_t width = lanes<T>;
    static HWY_INLINE V op(V a, V b) { return combine(Op(), a, b); }

    template <bool Exclusive, placement Where>
    static HWY_ATTR void scan_as(const lane_block<T>& block, const T* supers, const T* tiles, T* rows) {
        const full<T> d;
        const std::size_t vectors = block.lanes - block.lanes % width;
        const T identity = Op::template identity<T>();
        HWY_ALIGN T runs[most_lanes<T>];
        for (std::size_t row = 0; row < block.length; row += core::row_size) {
            std::fill_n(runs, vectors, identity);
            const std::size_t row_end = std::min(block.length, row + core::row_size);
            for (std::size_t run = row; run < row_end; run += core::run_size) {
                const std::size_t items = std::min(core::run_size, row_end - run);
                const T* x = block.x + static_cast<std::ptrdiff_t>(run) * block.x_stride;
                T* y = block.y + static_cast<std::ptrdiff_t>(run) * block.y_stride;
                for (std::size_t lane = 0; lane < vectors; lane += width) {
                    const V s = hn::LoadU(d, supers + lane);
                    const V t = hn::LoadU(d, tiles + lane);
                    const V r = hn::LoadU(d, rows + lane);
                    const V v = hn::Load(d, runs + lane);
                    const auto before = [&](V nested) { return op(s, op(t, op(r, nested))); };
                    V folded = hn::Set(d, identity);
                    for (std::size_t i = 0; i < items; ++i) {
                        const V element =
                            hn::LoadU(d, x + static_cast<std::ptrdiff_t>(i) * block.x_stride + lane);
                        T* to = y + static_cast<std::ptrdiff_t>(i) * block.y_stride + lane;
                        if constexpr (Exclusive) {
                            put<Where>(before(i == 0 ? v : op(v, folded)), to);
                            folded = i == 0 ? element : op(folded, element);
                        } else {
                            folded = i == 0 ? element : op(folded, element);
                            put<Where>(before(op(v, folded)), to);
                        }
                    }
                    hn::Store(op(v, folded), d, runs + lane);
                }
            }
            if (row_end - row == core::row_size) {
                for (std::size_t lane = 0; lane < vectors; lane += width) {
                    hn::StoreU(op(hn::LoadU(d, rows + lane), hn::Load(d, runs + lane)), d, rows + lane);
                }
            }
        }
        if (vectors != block.lanes) {
            portable::tree<T, Op>::scan_lanes(lanes_from(block, vectors), supers + vectors, tiles + vectors,
                                              rows + vectors);
        }
    }

    static HWY_ATTR void scan(const lane_block<T>& block, const T* supers, const T* tiles, T* rows) {
        constexpr auto cached = placement::cached;
        constexpr auto streamed = placement::streamed;
        if (block.exclusive) {
            if (block.where == streamed)
                scan_as<true, streamed>(block, supers, tiles, rows);
            else
                scan_as<true, cached>(block, supers, tiles, rows);
        } else {
            if (block.where == streamed)
                scan_as<false, streamed>(block, supers, tiles, rows);
            else
                scan_as<false, cached>(block, supers, tiles, rows);
        }
    }

    static HWY_ATTR void totals(const lane_block<T>& block, T* rows) {
        const full<T> d;
        const std::size_t vectors = block.lanes - block.lanes % width;
        const T identity = Op::template identity<T>();
        HWY_ALIGN T runs[most_lanes<T>];
        std::fill_n(rows, vectors, identity);
        const T* x = block.x;
        for (std::size_t row = 0; row < core::tile_size; row += core::row_size) {
            std::fill_n(runs, vectors, identity);
            for (std::size_t run = 0; run < core::row_size;
                 run += core::run_size, x += static_cast<std::ptrdiff_t>(core::run_size) * block.x_stride) {
                for (std::size_t lane = 0; lane < vectors; lane += width) {
                    V folded = hn::LoadU(d, x + lane);
                    for (std::size_t i = 1; i < core::run_size; ++i) {
                        folded = op(folded,
                                    hn::LoadU(d, x + static_cast<std::ptrdiff_t>(i) * block.x_stride + lane));
                    }
                    hn::Store(op(hn::Load(d, runs + lane), folded), d, runs + lane);
                }
            }
            for (std::size_t lane = 0; lane < vectors; lane += width) {
                hn::StoreU(op(hn::LoadU(d, rows + lane), hn::Load(d, runs + lane)), d, rows + lane);
            }
        }
        if (vectors != block.lanes)
            portable::tree<T, Op>::lane_totals(lanes_from(block, vectors), rows + vectors);
    }

  private:
    template <placement Where>
    static HWY_INLINE void put(V v, T* to) {
        if constexpr (Where == placement::streamed)
            hn::Stream(v, full<T>(), to);
        else
            hn::StoreU(v, full<T>(), to);
    }
};

template <class T, class Op>
struct exact_lanes {
    using codec = lane_codec<T, Op>;
    using V = vector<typename codec::lane>;
    static constexpr std::size_t width = lanes<T>;
    static HWY_INLINE V op(V a, V b) { return combine(Op(), a, b); }

    template <placement Where>
    static HWY_ATTR void scan_as(const lane_block<T>& block, T* carry) {
        const std::size_t vectors = block.lanes - block.lanes % width;
        for (std::size_t run = 0; run < block.length; run += core::run_size) {
            const std::size_t items = std::min(core::run_size, block.length - run);
            const T* x = block.x + static_cast<std::ptrdiff_t>(run) * block.x_stride;
            T* y = block.y + static_cast<std::ptrdiff_t>(run) * block.y_stride;
            for (std::size_t lane = 0; lane < vectors; lane += width) {
                V folded = codec::load(carry + lane);
                for (std::size_t i = 0; i < items; ++i) {
                    const V after =
                        op(folded, codec::load(x + static_cast<std::ptrdiff_t>(i) * block.x_stride + lane));
                    codec::template store<Where>(block.exclusive ? folded : after,
                                                 y + static_cast<std::ptrdiff_t>(i) * block.y_stride + lane);
                    folded = after;
                }
                codec::store(folded, carry + lane);
            }
        }
        if (vectors != block.lanes)
            portable::exact<T, Op>::scan_lanes(lanes_from(block, vectors), carry + vectors);
    }
    static HWY_ATTR void scan(const lane_block<T>& block, T* carry) {
        if (block.where == placement::streamed)
            scan_as<placement::streamed>(block, carry);
        else
            scan_as<placement::cached>(block, carry);
    }

    static HWY_ATTR void fold(const lane_block<T>& block, T* carry) {
        const std::size_t vectors = block.lanes - block.lanes % width;
        for (std::size_t run = 0; run < block.length; run += core::run_size) {
            const std::size_t items = std::min(core::run_size, block.length - run);
            const T* x = block.x + static_cast<std::ptrdiff_t>(run) * block.x_stride;
            for (std::size_t lane = 0; lane < vectors; lane += width) {
                V folded = codec::load(carry + lane);
                for (std::size_t i = 0; i < items; ++i) {
                    folded =
                        op(folded, codec::load(x + static_cast<std::ptrdiff_t>(i) * block.x_stride + lane));
                }
                codec::store(folded, carry + lane);
            }
        }
        if (vectors != block.lanes)
            portable::exact<T, Op>::fold_lanes(lanes_from(block, vectors), carry + vectors);
    }
};

}  // namespace upsweep::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

#endif

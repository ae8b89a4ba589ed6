// Many sequences side by side in memory, one a vector lane: those of an axis scan. Nothing moves between
// lanes. Four elements of a sequence (a run) are taken at a time, so that the state of the lanes above a run,
// which lies in the first-level cache, is touched once for four elements.

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

// How elements of T stand in vector lanes. Integers as they are.
template <class T, class Op>
struct lane_codec {
    using lane = T;
    static HWY_INLINE vector<lane> encode(vector<T> v) { return v; }
    static HWY_INLINE vector<T> decode(vector<lane> v) { return v; }
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
    static HWY_INLINE vector<lane> encode(vector<T> v) {
        const auto nan = hn::Set(full<T>(), is_maximum ? std::numeric_limits<T>::quiet_NaN()
                                                       : -std::numeric_limits<T>::quiet_NaN());
        return flip(hn::BitCast(full<lane>(), hn::IfThenElse(hn::IsNaN(v), nan, v)));
    }
    static HWY_INLINE vector<T> decode(vector<lane> v) { return hn::BitCast(full<T>(), flip(v)); }
};

// Minimum and maximum as the maximum of unsigned lanes, of which zero is the identity, so that lanes that
// move in need not be filled. Lanes of eight bytes stay as they are: few processors compare those without a
// sign.
template <class T, class Op>
struct unsigned_codec {
    using ordered = lane_codec<T, Op>;
    using lane = std::make_unsigned_t<typename ordered::lane>;
    // Of a signed number the sign, of a minimum every bit is inverted.
    static constexpr lane inverted =
        static_cast<lane>((std::is_signed_v<typename ordered::lane> ? lane{1} << (8 * sizeof(lane) - 1) : 0) ^
                          (std::is_same_v<Op, minimum> ? ~lane{0} : 0));
    static HWY_INLINE vector<lane> encode(vector<T> v) {
        const full<lane> d;
        return hn::Xor(hn::BitCast(d, ordered::encode(v)), hn::Set(d, inverted));
    }
    static HWY_INLINE vector<T> decode(vector<lane> v) {
        const full<lane> d;
        return ordered::decode(hn::BitCast(full<typename ordered::lane>(), hn::Xor(v, hn::Set(d, inverted))));
    }
};

// Floats as they are: right while there is neither a NaN nor a -0 among them, and then the vector unit's own
// minimum and maximum are those of IEEE 754-2019.
template <class T>
struct plain_codec {
    using lane = T;
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

    // Parts: of what stands to the left of a tile, S and T, T, or nothing but identities.
    template <std::size_t Parts, bool Exclusive, placement Where>
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
                    V s, t;
                    if constexpr (Parts >= 2) s = hn::LoadU(d, supers + lane);
                    if constexpr (Parts >= 1) t = hn::LoadU(d, tiles + lane);
                    const V r = hn::LoadU(d, rows + lane);
                    const V v = hn::Load(d, runs + lane);
                    const auto before = [&](V nested) HWY_ATTR {
                        nested = op(r, nested);
                        if constexpr (Parts >= 1) nested = op(t, nested);
                        if constexpr (Parts >= 2) nested = op(s, nested);
                        return nested;
                    };
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

    // By their bits: +0 is no identity of sums.
    static HWY_INLINE bool are_identities(const T* values, std::size_t count) {
        const hn::RebindToUnsigned<full<T>> d;
        const auto identity = hn::BitCast(d, hn::Set(full<T>(), Op::template identity<T>()));
        for (std::size_t lane = 0; lane + width <= count; lane += width) {
            const auto bits = hn::BitCast(d, hn::LoadU(full<T>(), values + lane));
            if (!hn::AllTrue(d, hn::Eq(bits, identity))) return false;
        }
        return true;
    }
    template <std::size_t Parts>
    static HWY_ATTR void scan_parts(const lane_block<T>& block, const T* supers, const T* tiles, T* rows) {
        constexpr auto cached = placement::cached;
        constexpr auto streamed = placement::streamed;
        if (block.exclusive) {
            if (block.where == streamed)
                scan_as<Parts, true, streamed>(block, supers, tiles, rows);
            else
                scan_as<Parts, true, cached>(block, supers, tiles, rows);
        } else {
            if (block.where == streamed)
                scan_as<Parts, false, streamed>(block, supers, tiles, rows);
            else
                scan_as<Parts, false, cached>(block, supers, tiles, rows);
        }
    }
    static HWY_ATTR void scan(const lane_block<T>& block, const T* supers, const T* tiles, T* rows) {
        if (!are_identities(supers, block.lanes))
            scan_parts<2>(block, supers, tiles, rows);
        else if (!are_identities(tiles, block.lanes))
            scan_parts<1>(block, supers, tiles, rows);
        else
            scan_parts<0>(block, supers, tiles, rows);
    }

    static HWY_ATTR void fold(const lane_block<T>& block, T* rows) {
        const full<T> d;
        const std::size_t vectors = block.lanes - block.lanes % width;
        HWY_ALIGN T runs[most_lanes<T>];
        const T* x = block.x;
        for (std::size_t row = 0; row < block.length; row += core::row_size) {
            std::fill_n(runs, vectors, Op::template identity<T>());
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
            portable::tree<T, Op>::fold_lanes(lanes_from(block, vectors), rows + vectors);
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
                V folded = load_as<codec>(carry + lane);
                for (std::size_t i = 0; i < items; ++i) {
                    const V after = op(
                        folded, load_as<codec>(x + static_cast<std::ptrdiff_t>(i) * block.x_stride + lane));
                    store_as<codec, Where>(block.exclusive ? folded : after,
                                           y + static_cast<std::ptrdiff_t>(i) * block.y_stride + lane);
                    folded = after;
                }
                store_as<codec>(folded, carry + lane);
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
                V folded = load_as<codec>(carry + lane);
                for (std::size_t i = 0; i < items; ++i) {
                    folded = op(folded,
                                load_as<codec>(x + static_cast<std::ptrdiff_t>(i) * block.x_stride + lane));
                }
                store_as<codec>(folded, carry + lane);
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

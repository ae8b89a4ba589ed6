// Many sequences at once, one a vector lane: those of an axis scan.
//
// Side by side in memory, nothing moves between lanes; one after the other, they are turned in registers.
// Four elements of a sequence (a run) are taken at a time, so that the state of
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

// Sequences one after the other, turned in registers so that each is a lane: `columns` elements of as many
// sequences as a vector has lanes. Cost per element with 8 lanes: about 0.5 shuffles besides the operations.
template <class T>
struct strips {
    using V = vector<T>;
    static constexpr std::size_t width = lanes<T>;
    static constexpr std::size_t k = block_lanes<T>;
    static constexpr std::size_t columns = k < core::run_size ? core::run_size : k;

    // scan(v, count) turns the first `count` of the columns v into their results, for all columns of one
    // strip in order; begin() comes before every strip. Returns how many sequences are done.
    template <class Begin, class Scan>
    static HWY_INLINE std::size_t each(const strip_block<T>& block, const Begin& begin, const Scan& scan) {
        constexpr auto few_pitch = static_cast<std::ptrdiff_t>(columns);
        HWY_ALIGN T few[width * columns];
        const std::size_t whole = block.length - block.length % columns;
        const std::size_t rest = block.length - whole;
        const auto length = static_cast<std::ptrdiff_t>(block.length);
        const bool packed = block.x_pitch == length && block.y_pitch == length && length <= most_packed;
        const T* x = block.x;
        T* y = block.y;
        std::size_t sequence = 0;
        for (; sequence + width <= block.count; sequence += width) {
            V v[columns];
            begin();
            for (std::size_t column = 0; column < whole; column += columns) {
                load(x + column, block.x_pitch, v);
                scan(v, columns);
                store(v, y + column, block.y_pitch);
            }
            if (rest != 0 && whole != 0) {
                scan_last(x + block.length - columns, block.x_pitch, y + block.length - columns,
                          block.y_pitch, rest, v, scan);
            } else if (rest != 0 && packed) {
                load_packed(x, rest, v);
                scan(v, rest);
                store_packed(v, rest, y);
            } else if (rest != 0) {
                copy(x, block.x_pitch, few, few_pitch, rest);
                load(few, few_pitch, v);
                scan(v, rest);
                store(v, few, few_pitch);
                copy(few, few_pitch, y, block.y_pitch, rest);
            }
            x += static_cast<std::ptrdiff_t>(width) * block.x_pitch;
            y += static_cast<std::ptrdiff_t>(width) * block.y_pitch;
        }
        return sequence;
    }
    // The sequences from `sequence` on, for what is left after whole strips.
    static strip_block<T> from(strip_block<T> block, std::size_t sequence) {
        block.x += static_cast<std::ptrdiff_t>(sequence) * block.x_pitch;
        block.y += static_cast<std::ptrdiff_t>(sequence) * block.y_pitch;
        block.count -= sequence;
        return block;
    }

  private:
    static HWY_INLINE void load(const T* x, std::ptrdiff_t pitch, V (&v)[columns]) {
        for (std::size_t c = 0; c < columns; c += k) {
            V part[k];
            load_transposed<T>(x + c, pitch, part);
            for (std::size_t i = 0; i < k; ++i) v[c + i] = part[i];
        }
    }
    static HWY_INLINE void store(const V (&v)[columns], T* y, std::ptrdiff_t pitch) {
        for (std::size_t c = 0; c < columns; c += k) {
            V part[k];
            for (std::size_t i = 0; i < k; ++i) part[i] = v[c + i];
            store_transposed<placement::cached, T>(part, y + c, pitch);
        }
    }
    // Sequences of up to four elements without a gap between them.
    static constexpr std::ptrdiff_t most_packed = 4;
    static HWY_INLINE void load_packed(const T* x, std::size_t length, V (&v)[columns]) {
        const full<T> d;
        v[0] = v[1] = v[2] = v[3] = hn::Zero(d);
        if (length == 1)
            v[0] = hn::LoadU(d, x);
        else if (length == 2)
            hn::LoadInterleaved2(d, x, v[0], v[1]);
        else if (length == 3)
            hn::LoadInterleaved3(d, x, v[0], v[1], v[2]);
        else
            hn::LoadInterleaved4(d, x, v[0], v[1], v[2], v[3]);
        for (std::size_t i = 4; i < columns; ++i) v[i] = v[0];  // of no account
    }
    static HWY_INLINE void store_packed(const V (&v)[columns], std::size_t length, T* y) {
        const full<T> d;
        if (length == 1)
            hn::StoreU(v[0], d, y);
        else if (length == 2)
            hn::StoreInterleaved2(v[0], v[1], d, y);
        else if (length == 3)
            hn::StoreInterleaved3(v[0], v[1], v[2], d, y);
        else
            hn::StoreInterleaved4(v[0], v[1], v[2], v[3], d, y);
    }
    // The last `rest` of the columns that lie at x, after those with the results `before`. Of these some are
    // stored once more, so that nothing outside the sequences is touched.
    template <class Scan>
    static HWY_INLINE void scan_last(const T* x, std::ptrdiff_t x_pitch, T* y, std::ptrdiff_t y_pitch,
                                     std::size_t rest, const V (&before)[columns], const Scan& scan) {
        const full<T> d;
        HWY_ALIGN T turned[2 * columns * width];  // columns, to be taken from any of them on
        V v[columns];
        load(x, x_pitch, v);
        for (std::size_t i = 0; i < columns; ++i) hn::Store(v[i], d, turned + i * width);
        for (std::size_t i = 0; i < columns; ++i)  // those from `rest` on are of no account
            v[i] = hn::Load(d, turned + (i + columns - rest) % columns * width);
        scan(v, rest);
        for (std::size_t i = 0; i < columns; ++i) {
            hn::Store(before[i], d, turned + i * width);
            hn::Store(v[i], d, turned + (columns + i) * width);
        }
        for (std::size_t i = 0; i < columns; ++i) v[i] = hn::Load(d, turned + (rest + i) * width);
        store(v, y, y_pitch);
    }
    static HWY_INLINE void copy(const T* from, std::ptrdiff_t from_pitch, T* to, std::ptrdiff_t to_pitch,
                                std::size_t count) {
        for (std::size_t r = 0; r < width; ++r, from += from_pitch, to += to_pitch) {
            for (std::size_t i = 0; i < count; ++i) to[i] = from[i];
        }
    }
};

template <class T, class Op>
struct tree_strips {
    using V = vector<T>;
    static HWY_INLINE V op(V a, V b) { return combine(Op(), a, b); }

    static HWY_ATTR void scan(const strip_block<T>& block, T start) {
        const std::size_t done = block.exclusive ? scan_as<true>(block, start) : scan_as<false>(block, start);
        if (done != block.count) portable::tree<T, Op>::scan_strips(strips<T>::from(block, done), start);
    }
    template <bool Exclusive>
    static HWY_ATTR std::size_t scan_as(const strip_block<T>& block, T start) {
        static_assert(strips<T>::columns == core::run_size);
        const V identity = hn::Set(full<T>(), Op::template identity<T>());
        V supers, tiles, rows, runs;
        std::size_t position = 0;
        const auto begin = [&]() HWY_ATTR {
            supers = hn::Set(full<T>(), start);
            tiles = rows = runs = identity;
            position = 0;
        };
        const auto run = [&](V(&v)[core::run_size], std::size_t count) HWY_ATTR {
            const auto left = [&](V nested) HWY_ATTR { return op(supers, op(tiles, op(rows, nested))); };
            for (std::size_t m = 1; m < core::run_size; ++m) v[m] = op(v[m - 1], v[m]);
            const V total = v[core::run_size - 1];
            if constexpr (Exclusive) {
                for (std::size_t m = core::run_size; --m != 0;) v[m] = left(op(runs, v[m - 1]));
                v[0] = left(runs);
            } else {
                for (std::size_t m = 0; m < core::run_size; ++m) v[m] = left(op(runs, v[m]));
            }
            runs = op(runs, total);
            position += count;
            if (position % core::row_size != 0) return;
            rows = op(rows, runs);
            runs = identity;
            if (position % core::tile_size != 0) return;
            tiles = op(tiles, rows);
            rows = identity;
            if (position % core::super_size != 0) return;
            supers = op(supers, tiles);
            tiles = identity;
        };
        return strips<T>::each(block, begin, run);
    }
};

template <class T, class Op>
struct exact_strips {
    using codec = lane_codec<T, Op>;
    using V = vector<typename codec::lane>;

    static HWY_ATTR void scan(const strip_block<T>& block, T start) {
        V carry;
        const auto begin = [&]() HWY_ATTR { carry = codec::encode(hn::Set(full<T>(), start)); };
        const bool exclusive = block.exclusive;
        const auto fold = [&](vector<T>(&v)[strips<T>::columns], std::size_t) HWY_ATTR {
            for (vector<T>& element : v) {
                const V after = combine(Op(), carry, codec::encode(element));
                element = codec::decode(exclusive ? carry : after);
                carry = after;
            }
        };
        const std::size_t done = strips<T>::each(block, begin, fold);
        if (done != block.count) portable::exact<T, Op>::scan_strips(strips<T>::from(block, done), start);
    }
};

}  // namespace upsweep::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

#endif

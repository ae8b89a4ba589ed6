// Many sequences side by side in memory, one a vector lane, at least a vector of them: those of an axis scan.
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

#include "src/cpu/codecs-inl.hpp"
#include "src/cpu/vector-inl.hpp"
#include "upsweep/core/tree.hpp"
#include "upsweep/cpu/kernels.hpp"

#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128  // the portable level needs no vector bodies
HWY_BEFORE_NAMESPACE();
namespace upsweep::cpu::HWY_NAMESPACE {

// The vectors of a row of lanes. Where the last is not a whole one it begins within the one before: lanes in
// both are scanned twice, from the same elements and the same state, which are set aside before the vectors
// before it write. Its state lies at slot `whole`, behind that of the others.
template <class T>
struct lane_vectors {
    static constexpr std::size_t width = lanes<T>;
    std::size_t whole;  // lanes in whole vectors
    std::size_t last;   // where the last vector begins
    std::size_t slots;  // lanes in all vectors, twice scanned ones counted twice

    explicit lane_vectors(std::size_t count)
        : whole(count - count % width), last(count - width), slots(whole + (whole == count ? 0 : width)) {}
    HWY_INLINE bool overlap() const { return whole != slots; }
    HWY_INLINE std::size_t lane_of(std::size_t slot) const { return slot == whole ? last : slot; }
};

// State of a block's lanes; that of the overlapping vector in a copy until finish().
template <class T>
struct slot_state {
    const lane_vectors<T>& vectors;
    T* values;
    HWY_ALIGN T last[lanes<T>];

    HWY_INLINE slot_state(const lane_vectors<T>& of, T* of_lanes) : vectors(of), values(of_lanes) {
        hn::Store(hn::LoadU(full<T>(), values + of.last), full<T>(), last);
    }
    HWY_INLINE T* at(std::size_t slot) { return slot == vectors.whole ? last : values + slot; }
    HWY_INLINE void finish() {
        if (vectors.overlap()) hn::StoreU(hn::Load(full<T>(), last), full<T>(), values + vectors.last);
    }
};

template <class T>
HWY_INLINE const T* element_of(const T* x, std::ptrdiff_t stride, std::size_t i) {
    return x + static_cast<std::ptrdiff_t>(i) * stride;
}
template <class T>
HWY_INLINE T* element_of(T* y, std::ptrdiff_t stride, std::size_t i) {
    return y + static_cast<std::ptrdiff_t>(i) * stride;
}

// Asks for what lies at least `lead` bytes further on, whole runs of all vectors, while a run is scanned. It
// does so row after row: processors fetch ahead along one row, but lose their way in the four rows of a run
// where these share a page. To the second-level cache, since the first one has no room for it beside the
// state.
template <class T>
class run_prefetcher {
  public:
    HWY_INLINE run_prefetcher(std::size_t lead, std::ptrdiff_t stride, const lane_vectors<T>& vectors)
        : row_lanes_(vectors.last + lanes<T>), stride_(stride) {
        const std::size_t run_lanes = core::run_size * row_lanes_;
        const std::size_t runs = (lead + run_lanes * sizeof(T) - 1) / (run_lanes * sizeof(T));
        ahead_ = static_cast<std::ptrdiff_t>(runs * core::run_size) * stride;
        if (stride == static_cast<std::ptrdiff_t>(row_lanes_))
            row_lanes_ = run_lanes;  // one row, so to speak
    }
    // Before the run at x is scanned.
    HWY_INLINE void start(const T* x) {
        row_ = x + ahead_;
        lane_ = 0;
    }
    // For every vector of the run.
    HWY_INLINE void ask() {
        if (ahead_ == 0) return;
        for (std::size_t i = 0; i < core::run_size * lanes<T>; i += line) {
            __builtin_prefetch(row_ + lane_, 0, 2);
            lane_ += line;
            if (lane_ < row_lanes_) continue;
            lane_ = 0;
            row_ += stride_;
        }
    }

  private:
    static constexpr std::size_t line = 64 / sizeof(T);
    std::size_t row_lanes_;
    std::ptrdiff_t stride_;
    std::ptrdiff_t ahead_;
    const T* row_ = nullptr;
    std::size_t lane_ = 0;
};

template <placement Where, class V, class T>
HWY_INLINE void put(V v, T* to) {
    if constexpr (Where == placement::streamed)
        hn::Stream(v, full<T>(), to);
    else
        hn::StoreU(v, full<T>(), to);
}

// As wide as a cache line, the items of a run. Rows whose distance is a multiple of a page lie in one set of
// the first-level cache, which has no room for those of a run from several arrays: vectors narrower than a
// line would fetch each several times, and stream parts of lines. So whole lines are copied, from all rows
// and to all rows.
template <class T>
struct run_lines {
    static constexpr std::size_t width = lanes<T>;
    static constexpr std::size_t line = 64 / sizeof(T);
    static constexpr std::ptrdiff_t stride = line;
    HWY_ALIGN T values[core::run_size * line];

    static HWY_INLINE bool collide(std::ptrdiff_t stride_of_rows) {
        return width < line && stride_of_rows * static_cast<std::ptrdiff_t>(sizeof(T)) % 4096 == 0;
    }
    HWY_INLINE void load(const T* x, std::ptrdiff_t x_stride, std::size_t items) {
        for (std::size_t i = 0; i < items; ++i) {
            const T* from = element_of(x, x_stride, i);
            for (std::size_t k = 0; k < line; k += width)
                hn::Store(hn::LoadU(full<T>(), from + k), full<T>(), values + i * line + k);
        }
    }
    template <placement Where>
    HWY_INLINE void store(T* y, std::ptrdiff_t y_stride, std::size_t items) const {
        for (std::size_t i = 0; i < items; ++i) {
            T* to = element_of(y, y_stride, i);
            for (std::size_t k = 0; k < line; k += width)
                put<Where>(hn::Load(full<T>(), values + i * line + k), to + k);
        }
    }
};

template <placement Where>
struct stored_as {
    static constexpr placement where = Where;
};

// body(stored_as, slot, x, its stride, y, its stride, items) for every vector of the block and every run,
// whose `items` elements are at x and whose results belong to y.
template <placement Where, class T, class Body>
HWY_INLINE void for_each_run(const lane_block<T>& block, const lane_vectors<T>& vectors,
                             run_prefetcher<T>& prefetcher, std::size_t begin, std::size_t end,
                             const Body& body) {
    using lines = run_lines<T>;
    constexpr std::size_t width = lanes<T>;
    const full<T> d;
    HWY_ALIGN T held[core::run_size * width];
    lines elements_of, results_of;
    const bool collide = lines::collide(block.x_stride) || lines::collide(block.y_stride);
    const std::size_t in_lines = collide ? vectors.whole / lines::line * lines::line : 0;
    for (std::size_t run = begin; run < end; run += core::run_size) {
        const std::size_t items = std::min(core::run_size, end - run);
        const T* x = element_of(block.x, block.x_stride, run);
        T* y = element_of(block.y, block.y_stride, run);
        prefetcher.start(x);
        if (vectors.overlap()) {
            for (std::size_t i = 0; i < items; ++i) {
                const auto elements = hn::LoadU(d, element_of(x, block.x_stride, i) + vectors.last);
                hn::Store(elements, d, held + i * width);
            }
        }
        for (std::size_t lane = 0; lane < in_lines; lane += lines::line) {
            elements_of.load(x + lane, block.x_stride, items);
            for (std::size_t k = 0; k < lines::line; k += width) {
                prefetcher.ask();
                body(stored_as<placement::cached>(), lane + k, elements_of.values + k, lines::stride,
                     results_of.values + k, lines::stride, items);
            }
            results_of.template store<Where>(y + lane, block.y_stride, items);
        }
        for (std::size_t lane = in_lines; lane < vectors.whole; lane += width) {
            prefetcher.ask();
            body(stored_as<Where>(), lane, x + lane, block.x_stride, y + lane, block.y_stride, items);
        }
        if (vectors.overlap()) {
            prefetcher.ask();
            body(stored_as<Where>(), vectors.whole, held, static_cast<std::ptrdiff_t>(width),
                 y + vectors.last, block.y_stride, items);
        }
    }
}

template <class T, class Op>
struct tree_lanes {
    using V = vector<T>;
    static constexpr std::size_t width = lanes<T>;
    static HWY_INLINE V op(V a, V b) { return combine(Op(), a, b); }

    // Parts: of what stands to the left of a tile, S and T, T, or nothing but identities.
    template <std::size_t Parts, bool Exclusive, placement Where>
    static HWY_ATTR void scan_as(const lane_block<T>& block, std::size_t done, const T* supers,
                                 const T* tiles, T* rows, T* runs) {
        const full<T> d;
        const lane_vectors<T> vectors(block.lanes);
        run_prefetcher<T> prefetcher(block.lead, block.x_stride, vectors);
        slot_state<T> runs_of(vectors, runs);
        const auto scan_run = [&](auto stored, std::size_t slot, const T* x, std::ptrdiff_t stride, T* y,
                                  std::ptrdiff_t y_stride, std::size_t items) HWY_ATTR {
            constexpr placement where = decltype(stored)::where;
            const std::size_t lane = vectors.lane_of(slot);
            V s, t;
            if constexpr (Parts >= 2) s = hn::LoadU(d, supers + lane);
            if constexpr (Parts >= 1) t = hn::LoadU(d, tiles + lane);
            const V r = hn::LoadU(d, rows + lane);
            const V v = hn::LoadU(d, runs_of.at(slot));
            const auto before = [&](V nested) HWY_ATTR {
                nested = op(r, nested);
                if constexpr (Parts >= 1) nested = op(t, nested);
                if constexpr (Parts >= 2) nested = op(s, nested);
                return nested;
            };
            V folded = hn::Set(d, Op::template identity<T>());
            for (std::size_t i = 0; i < items; ++i) {
                const V element = hn::LoadU(d, element_of(x, stride, i));
                T* to = element_of(y, y_stride, i);
                if constexpr (Exclusive) {
                    put<where>(before(i == 0 ? v : op(v, folded)), to);
                    folded = i == 0 ? element : op(folded, element);
                } else {
                    folded = i == 0 ? element : op(folded, element);
                    put<where>(before(op(v, folded)), to);
                }
            }
            hn::StoreU(op(v, folded), d, runs_of.at(slot));
        };
        for_each_row(block.length, done, [&](std::size_t begin, std::size_t end, bool complete) HWY_ATTR {
            for_each_run<Where>(block, vectors, prefetcher, begin, end, scan_run);
            if (complete) push_row(runs_of, rows);
        });
        runs_of.finish();
    }

    // By their bits: +0 is no identity of sums.
    static HWY_INLINE bool are_identities(const T* values, std::size_t count) {
        const lane_vectors<T> vectors(count);
        const hn::RebindToUnsigned<full<T>> d;
        const auto identity = hn::BitCast(d, hn::Set(full<T>(), Op::template identity<T>()));
        for (std::size_t slot = 0; slot < vectors.slots; slot += width) {
            const auto bits = hn::BitCast(d, hn::LoadU(full<T>(), values + vectors.lane_of(slot)));
            if (!hn::AllTrue(d, hn::Eq(bits, identity))) return false;
        }
        return true;
    }
    template <std::size_t Parts>
    static HWY_ATTR void scan_parts(const lane_block<T>& block, std::size_t done, const T* supers,
                                    const T* tiles, T* rows, T* runs) {
        constexpr auto cached = placement::cached;
        constexpr auto streamed = placement::streamed;
        if (block.exclusive) {
            if (block.where == streamed)
                scan_as<Parts, true, streamed>(block, done, supers, tiles, rows, runs);
            else
                scan_as<Parts, true, cached>(block, done, supers, tiles, rows, runs);
        } else {
            if (block.where == streamed)
                scan_as<Parts, false, streamed>(block, done, supers, tiles, rows, runs);
            else
                scan_as<Parts, false, cached>(block, done, supers, tiles, rows, runs);
        }
    }
    static HWY_ATTR void scan(const lane_block<T>& block, std::size_t done, const T* supers, const T* tiles,
                              T* rows, T* runs) {
        if (!are_identities(supers, block.lanes))
            scan_parts<2>(block, done, supers, tiles, rows, runs);
        else if (!are_identities(tiles, block.lanes))
            scan_parts<1>(block, done, supers, tiles, rows, runs);
        else
            scan_parts<0>(block, done, supers, tiles, rows, runs);
    }

    static HWY_ATTR void fold(const lane_block<T>& block, std::size_t done, T* rows, T* runs) {
        const full<T> d;
        const lane_vectors<T> vectors(block.lanes);
        run_prefetcher<T> prefetcher(block.lead, block.x_stride, vectors);
        slot_state<T> runs_of(vectors, runs);
        for_each_row(block.length, done, [&](std::size_t begin, std::size_t end, bool complete) HWY_ATTR {
            for (std::size_t run = begin; run < end; run += core::run_size) {
                const T* x = element_of(block.x, block.x_stride, run);
                prefetcher.start(x);
                for (std::size_t slot = 0; slot < vectors.slots; slot += width) {
                    prefetcher.ask();
                    const T* elements = x + vectors.lane_of(slot);
                    V folded = hn::LoadU(d, elements);
                    for (std::size_t i = 1; i < core::run_size; ++i)
                        folded = op(folded, hn::LoadU(d, element_of(elements, block.x_stride, i)));
                    T* state = runs_of.at(slot);
                    hn::StoreU(op(hn::LoadU(d, state), folded), d, state);
                }
            }
            if (complete) push_row(runs_of, rows);
        });
        runs_of.finish();
    }

  private:
    // body(begin, end, whether the row is complete) for every row of a block of which `done` elements of the
    // first row came before.
    template <class Body>
    static HWY_INLINE void for_each_row(std::size_t length, std::size_t done, const Body& body) {
        for (std::size_t begin = 0; begin < length; done = 0) {
            const std::size_t end = std::min(length, begin + core::row_size - done);
            body(begin, end, done + (end - begin) == core::row_size);
            begin = end;
        }
    }
    // rows (+)= runs, which start afresh.
    static HWY_INLINE void push_row(slot_state<T>& runs, T* rows) {
        const full<T> d;
        const lane_vectors<T>& vectors = runs.vectors;
        const V identity = hn::Set(d, Op::template identity<T>());
        const V last_rows = hn::LoadU(d, rows + vectors.last);
        for (std::size_t lane = 0; lane < vectors.whole; lane += width) {
            hn::StoreU(op(hn::LoadU(d, rows + lane), hn::LoadU(d, runs.at(lane))), d, rows + lane);
            hn::StoreU(identity, d, runs.at(lane));
        }
        if (!vectors.overlap()) return;
        hn::StoreU(op(last_rows, hn::Load(d, runs.last)), d, rows + vectors.last);
        hn::Store(identity, d, runs.last);
    }
};

template <class T, class Op>
struct exact_lanes {
    using codec = lane_codec<T, Op>;
    using V = vector<typename codec::lane>;
    static constexpr std::size_t width = lanes<T>;
    static HWY_INLINE V op(V a, V b) { return combine(Op(), a, b); }

    template <bool Exclusive, placement Where>
    static HWY_ATTR void scan_as(const lane_block<T>& block, T* carry) {
        const lane_vectors<T> vectors(block.lanes);
        slot_state<T> carried(vectors, carry);
        const auto scan_run = [&](auto stored, std::size_t slot, const T* x, std::ptrdiff_t stride, T* y,
                                  std::ptrdiff_t y_stride, std::size_t items) HWY_ATTR {
            constexpr placement where = decltype(stored)::where;
            T* state = carried.at(slot);
            V folded = load_as<codec>(state);
            for (std::size_t i = 0; i < items; ++i) {
                T* to = element_of(y, y_stride, i);
                const V element = load_as<codec>(element_of(x, stride, i));
                if constexpr (Exclusive) store_as<codec, where>(folded, to);
                folded = op(folded, element);
                if constexpr (!Exclusive) store_as<codec, where>(folded, to);
            }
            store_as<codec>(folded, state);
        };
        run_prefetcher<T> prefetcher(block.lead, block.x_stride, vectors);
        for_each_run<Where>(block, vectors, prefetcher, 0, block.length, scan_run);
        carried.finish();
    }
    static HWY_ATTR void scan(const lane_block<T>& block, T* carry) {
        constexpr auto cached = placement::cached;
        constexpr auto streamed = placement::streamed;
        if (block.where == streamed)
            block.exclusive ? scan_as<true, streamed>(block, carry) : scan_as<false, streamed>(block, carry);
        else
            block.exclusive ? scan_as<true, cached>(block, carry) : scan_as<false, cached>(block, carry);
    }

    static HWY_ATTR void fold(const lane_block<T>& block, T* carry) {
        const lane_vectors<T> vectors(block.lanes);
        run_prefetcher<T> prefetcher(block.lead, block.x_stride, vectors);
        slot_state<T> carried(vectors, carry);
        for (std::size_t run = 0; run < block.length; run += core::run_size) {
            const std::size_t items = std::min(core::run_size, block.length - run);
            const T* x = element_of(block.x, block.x_stride, run);
            prefetcher.start(x);
            for (std::size_t slot = 0; slot < vectors.slots; slot += width) {
                prefetcher.ask();
                T* state = carried.at(slot);
                V folded = load_as<codec>(state);
                for (std::size_t i = 0; i < items; ++i) {
                    const T* elements = element_of(x, block.x_stride, i) + vectors.lane_of(slot);
                    folded = op(folded, load_as<codec>(elements));
                }
                store_as<codec>(folded, state);
            }
        }
        carried.finish();
    }
};

}  // namespace upsweep::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

#endif

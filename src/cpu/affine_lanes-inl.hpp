// Linear recurrences side by side, a lane each. Nothing moves between lanes: what stands to the left of a run
// is read once in four elements, from the first-level cache.

#if defined(UPSWEEP_AFFINE_LANES_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef UPSWEEP_AFFINE_LANES_INL_HPP
#undef UPSWEEP_AFFINE_LANES_INL_HPP
#else
#define UPSWEEP_AFFINE_LANES_INL_HPP
#endif

#include <algorithm>
#include <cstddef>
#include <limits>

#include "src/cpu/decay-inl.hpp"
#include "src/cpu/lane_kernels-inl.hpp"
#include "src/cpu/vector-inl.hpp"
#include "upsweep/core/tree.hpp"
#include "upsweep/cpu/kernels.hpp"

#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128  // the portable level needs no vector bodies
HWY_BEFORE_NAMESPACE();
namespace upsweep::cpu::HWY_NAMESPACE {

// x -> a x + b in every lane.
template <class T>
struct affine_maps {
    using V = vector<T>;
    V a, b;
    // Implicit ones would lack the target's attributes, without which g++ refuses NEON's.
    HWY_INLINE affine_maps() : a(), b() {}
    HWY_INLINE affine_maps(V slope, V offset) : a(slope), b(offset) {}
};
template <class T>
HWY_INLINE affine_maps<T> compose(affine_maps<T> first, affine_maps<T> second) {
    return {hn::Mul(first.a, second.a), hn::Add(hn::Mul(second.a, first.b), second.b)};
}

template <class T>
struct affine_lanes_of {
    using maps = affine_maps<T>;
    static constexpr std::size_t width = lanes<T>;

    static HWY_ATTR void scan(const affine_block<T>& block, affine_lanes<T>& state) {
        for_each_part(block, state, [&](const affine_block<T>& part, bool decayed) HWY_ATTR {
            if (part.where == placement::streamed)
                decayed ? scan_decayed<placement::streamed>(part, state)
                        : scan_to<placement::streamed>(part, state);
            else
                decayed ? scan_decayed<placement::cached>(part, state)
                        : scan_to<placement::cached>(part, state);
        });
    }
    static HWY_ATTR void fold(const affine_block<T>& block, affine_lanes<T>& state) {
        for_each_part(block, state, [&](const affine_block<T>& part, bool decayed) HWY_ATTR {
            for_each_run(part, state, folder{decayed});
        });
    }

  private:
    using V = vector<T>;

    // Where arithmetic on subnormal numbers is slow, there is a look for coefficients that are small every 32
    // items, in which they do not become subnormal if they decay by a factor of e an item.
    template <class Take>
    static HWY_INLINE void for_each_part(const affine_block<T>& block, affine_lanes<T>& state,
                                         const Take& take) {
        const std::size_t most = block.slow_subnormals ? 32 : block.length;
        const bool rows_decayed =
            block.slow_subnormals && ((state.has_rows && some_small(state.rows_a, block.lanes)) ||
                                      (state.has_tiles && some_small(state.tiles_a, block.lanes)));
        affine_block<T> part = block;
        for (std::size_t i = 0; i < block.length; i += most) {
            part.a = element_of(block.a, block.a_stride, i);
            part.b = element_of(block.b, block.b_stride, i);
            part.y = element_of(block.y, block.y_stride, i);
            part.length = std::min(block.length - i, most);
            take(part, rows_decayed || (block.slow_subnormals && state.has_runs &&
                                        some_small(state.runs_a, block.lanes)));
            state.has_runs = true;
        }
    }
    // Of whole vectors: that is how the others are in all likelihood.
    static HWY_INLINE bool some_small(const T* coefficients, std::size_t count) {
        V least = hn::Set(full<T>(), T(1));
        for (std::size_t lane = 0; lane + width <= count; lane += width)
            least = hn::Min(least, hn::Abs(hn::LoadU(full<T>(), coefficients + lane)));
        return has_small<T>(least);
    }

    static HWY_INLINE maps load(const T* a, const T* b) {
        return {hn::LoadU(full<T>(), a), hn::LoadU(full<T>(), b)};
    }

    // Of a vector of lanes.
    struct run {
        const T* a;
        std::ptrdiff_t a_stride;
        const T* b;
        std::ptrdiff_t b_stride;
        T* y;
        std::ptrdiff_t y_stride;
        std::size_t lane;
        T *runs_a, *runs_b;  // before it

        HWY_INLINE maps item(std::size_t m) const {
            return load(element_of(a, a_stride, m), element_of(b, b_stride, m));
        }
        HWY_INLINE void store(maps runs) const {
            hn::StoreU(runs.a, full<T>(), runs_a);
            hn::StoreU(runs.b, full<T>(), runs_b);
        }
    };

    // What is done with a run of `count` items. Runs: whether others of its row come before it.
    struct folder {
        static constexpr placement where = placement::cached;
        bool decayed;

        template <bool Runs, placement>
        HWY_INLINE void take(const run& at, std::size_t count) const {
            maps items = at.item(0);
            for (std::size_t m = 1; m < count; ++m) items = compose(items, at.item(m));
            if constexpr (Runs) {
                const maps runs = load(at.runs_a, at.runs_b);
                items = HWY_UNLIKELY(decayed) ? after(runs, items) : compose(runs, items);
            }
            at.store(items);
        }
    };
    // compose(runs, items), where runs may have decayed.
    static HWY_INLINE maps after(maps runs, maps items) {
        const maps value = compose(maps(without_small<T>(runs.a), runs.b), items);
        return {has_small<T>(runs.a) ? product_of_small<T>(runs.a, items.a) : value.a, value.b};
    }
    template <bool Rows, bool Tiles, placement Where>
    struct scanner {
        static constexpr placement where = Where;
        const affine_lanes<T>& state;

        template <bool Runs, placement Stored>
        HWY_INLINE void take(const run& at, std::size_t count) const {
            const auto supers = hn::LoadU(full<T>(), state.supers + at.lane);
            maps runs, rows, tiles, items;
            if constexpr (Runs) runs = load(at.runs_a, at.runs_b);
            if constexpr (Rows) rows = load(state.rows_a + at.lane, state.rows_b + at.lane);
            if constexpr (Tiles) tiles = load(state.tiles_a + at.lane, state.tiles_b + at.lane);
            for (std::size_t m = 0; m < count; ++m) {
                items = m == 0 ? at.item(0) : compose(items, at.item(m));
                maps value = Runs ? compose(runs, items) : items;
                if (m + 1 == count) at.store(value);
                if constexpr (Rows) value = compose(rows, value);
                if constexpr (Tiles) value = compose(tiles, value);
                put<Stored>(hn::Add(hn::Mul(value.a, supers), value.b), element_of(at.y, at.y_stride, m));
            }
        }
    };

    // The same for lanes that have decayed.
    template <placement Where>
    struct decayed_scanner {
        static constexpr placement where = Where;
        const affine_lanes<T>& state;

        template <bool Runs, placement Stored>
        HWY_INLINE void take(const run& at, std::size_t count) const {
            HWY_ALIGN T results[core::run_size * width];
            scan_decayed_run(state, at, count, Runs, results);
            for (std::size_t m = 0; m < count; ++m)
                put<Stored>(hn::Load(full<T>(), results + m * width), element_of(at.y, at.y_stride, m));
        }
    };
    // From one of the maps R, T and S, or from R and T, if what is left out does not show.
    static HWY_ATTR HWY_NOINLINE void scan_decayed_run(const affine_lanes<T>& state, const run& at,
                                                       std::size_t count, bool has_runs, T* results) {
        const full<T> d;
        maps left[3];
        std::size_t left_count = 0;
        if (state.has_rows) left[left_count++] = load(state.rows_a + at.lane, state.rows_b + at.lane);
        if (state.has_tiles) left[left_count++] = load(state.tiles_a + at.lane, state.tiles_b + at.lane);
        left[left_count++] = {hn::Zero(d), hn::LoadU(d, state.supers + at.lane)};
        maps runs, items[core::run_size];
        if (has_runs) runs = load(at.runs_a, at.runs_b);
        for (std::size_t m = 0; m < count; ++m)
            items[m] = m == 0 ? at.item(0) : compose(items[m - 1], at.item(m));

        const bool two = left_count == 3 && !has_small<T>(left[0].a) && !(has_runs && has_small<T>(runs.a));
        const maps seen = two ? runs : maps{without_small<T>(runs.a), runs.b};
        V coefficients = runs.a;
        V smallest = hn::Set(d, std::numeric_limits<T>::max());
        for (std::size_t m = 0; m < count; ++m) {
            maps value = has_runs ? compose(seen, items[m]) : items[m];
            if (two) value = compose(left[0], value);
            const V result = compose(left[two ? 1 : 0], value).b;
            hn::Store(result, d, results + m * width);
            coefficients = hn::Or(coefficients, items[m].a);
            smallest = hn::Min(smallest, hn::Abs(result));
        }
        const V lost = lost_beyond(left, left_count, two ? 2 : 1);
        if (HWY_UNLIKELY(!near_results<T>::suffice(smallest, lost, coefficients))) {
            for (std::size_t m = 0; m < count; ++m) {
                maps value = has_runs ? compose(runs, items[m]) : items[m];
                for (std::size_t k = 0; k < left_count; ++k) value = compose(left[k], value);
                hn::Store(value.b, d, results + m * width);
            }
        }
        at.store(has_runs ? after(runs, items[count - 1]) : items[count - 1]);
    }
    // What near_results calls lost: of the maps from the used-th on, and of small coefficients of runs that
    // count as zero with one map.
    static HWY_INLINE V lost_beyond(const maps (&left)[3], std::size_t count, std::size_t used) {
        const full<T> d;
        const V share = hn::Set(d, near_results<T>::share);
        V lost = hn::Zero(d);
        if (used == 1) lost = hn::Mul(hn::Mul(share, hn::Set(d, float_format<T>::small)), hn::Abs(left[0].b));
        V between = share;
        for (std::size_t k = 0; k < count; ++k) {
            if (k >= used) lost = hn::Add(lost, hn::Mul(between, hn::Abs(left[k].b)));
            between = hn::Mul(between, at_least_small<T>(left[k].a));
        }
        return lost;
    }

    template <placement Where>
    static HWY_ATTR HWY_NOINLINE void scan_decayed(const affine_block<T>& block,
                                                   const affine_lanes<T>& state) {
        for_each_run(block, state, decayed_scanner<Where>{state});
    }
    template <placement Where>
    static HWY_INLINE void scan_to(const affine_block<T>& block, const affine_lanes<T>& state) {
        if (state.has_rows)
            state.has_tiles ? scan_as<true, true, Where>(block, state)
                            : scan_as<true, false, Where>(block, state);
        else
            state.has_tiles ? scan_as<false, true, Where>(block, state)
                            : scan_as<false, false, Where>(block, state);
    }
    template <bool Rows, bool Tiles, placement Where>
    static HWY_ATTR void scan_as(const affine_block<T>& block, const affine_lanes<T>& state) {
        for_each_run(block, state, scanner<Rows, Tiles, Where>{state});
    }

    // The runs of a block: where the last vector of lanes begins within the one before, its elements and what
    // is before it are set aside, as lane_vectors says.
    template <class Body>
    static HWY_INLINE void for_each_run(const affine_block<T>& block, const affine_lanes<T>& state,
                                        const Body& body) {
        lane_walk walk(block, state);
        std::size_t i = 0;
        if (!state.has_runs && block.length >= core::run_size) {
            walk.template take<false>(i, core::run_size, body);
            i += core::run_size;
        }
        for (; i + core::run_size <= block.length; i += core::run_size)
            walk.template take<true>(i, core::run_size, body);
        if (i == block.length) return walk.finish();
        if (i == 0 && !state.has_runs)
            walk.template take<false>(i, block.length - i, body);
        else
            walk.template take<true>(i, block.length - i, body);
        walk.finish();
    }
    struct lane_walk {
        const affine_block<T>& block;
        const affine_lanes<T>& state;
        const lane_vectors<T> vectors;
        run_prefetcher<T> next_a, next_b;
        slot_state<T> runs_a, runs_b;
        HWY_ALIGN T held_a[core::run_size * width];
        HWY_ALIGN T held_b[core::run_size * width];

        HWY_INLINE lane_walk(const affine_block<T>& of, const affine_lanes<T>& before)
            : block(of),
              state(before),
              vectors(of.lanes),
              next_a(of.lead, of.a_stride, vectors),
              next_b(of.lead, of.b_stride, vectors),
              runs_a(vectors, before.runs_a),
              runs_b(vectors, before.runs_b) {}

        // The run of `count` items from the i-th on, of all lanes.
        template <bool Runs, class Body>
        HWY_INLINE void take(std::size_t i, std::size_t count, const Body& body) {
            const T* a = element_of(block.a, block.a_stride, i);
            const T* b = element_of(block.b, block.b_stride, i);
            T* y = element_of(block.y, block.y_stride, i);
            next_a.start(a);
            next_b.start(b);
            if (vectors.overlap()) {
                hold(a + vectors.last, block.a_stride, count, held_a);
                hold(b + vectors.last, block.b_stride, count, held_b);
            }
            std::size_t lane = 0;
            if constexpr (Body::where == placement::streamed) lane = take_lines<Runs>(a, b, y, count, body);
            for (; lane < vectors.whole; lane += width) {
                next_a.ask();
                next_b.ask();
                body.template take<Runs, Body::where>(
                    {a + lane, block.a_stride, b + lane, block.b_stride, y + lane, block.y_stride, lane,
                     state.runs_a + lane, state.runs_b + lane},
                    count);
            }
            if (!vectors.overlap()) return;
            next_a.ask();
            next_b.ask();
            constexpr auto stride = static_cast<std::ptrdiff_t>(width);
            body.template take<Runs, Body::where>({held_a, stride, held_b, stride, y + vectors.last,
                                                   block.y_stride, vectors.last, runs_a.last, runs_b.last},
                                                  count);
        }
        // The same of lanes in whole lines, if rows collide. Which lanes are left.
        template <bool Runs, class Body>
        HWY_INLINE std::size_t take_lines(const T* a, const T* b, T* y, std::size_t count, const Body& body) {
            using lines = run_lines<T>;
            if (!lines::collide(block.a_stride) && !lines::collide(block.b_stride) &&
                !lines::collide(block.y_stride))
                return 0;
            lines lines_a, lines_b, lines_y;
            const std::size_t in_lines = vectors.whole / lines::line * lines::line;
            for (std::size_t lane = 0; lane < in_lines; lane += lines::line) {
                lines_a.load(a + lane, block.a_stride, count);
                lines_b.load(b + lane, block.b_stride, count);
                for (std::size_t k = 0; k < lines::line; k += width) {
                    next_a.ask();
                    next_b.ask();
                    body.template take<Runs, placement::cached>(
                        {lines_a.values + k, lines::stride, lines_b.values + k, lines::stride,
                         lines_y.values + k, lines::stride, lane + k, state.runs_a + lane + k,
                         state.runs_b + lane + k},
                        count);
                }
                lines_y.template store<Body::where>(y + lane, block.y_stride, count);
            }
            return in_lines;
        }
        HWY_INLINE void finish() {
            runs_a.finish();
            runs_b.finish();
        }
        static HWY_INLINE void hold(const T* from, std::ptrdiff_t stride, std::size_t count, T* to) {
            for (std::size_t m = 0; m < count; ++m)
                hn::Store(hn::LoadU(full<T>(), element_of(from, stride, m)), full<T>(), to + m * width);
        }
    };
};

}  // namespace upsweep::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

#endif

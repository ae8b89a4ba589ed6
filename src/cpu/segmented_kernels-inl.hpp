// Sums and products within segments, by the tree: what stands to the left of a head is forgotten there.
//
// As in tree_kernels-inl.hpp, with a lane a run in the first and last step and a lane a row in the second.
// Heads are bits; a mask of lanes is a test of one bit in each. A fold takes its right operand alone where
// that begins with a head. In a row, everything before it counts only up to its first head, so rows without
// one, and steps before it, cost what they cost without segments.

#if defined(UPSWEEP_SEGMENTED_KERNELS_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef UPSWEEP_SEGMENTED_KERNELS_INL_HPP
#undef UPSWEEP_SEGMENTED_KERNELS_INL_HPP
#else
#define UPSWEEP_SEGMENTED_KERNELS_INL_HPP
#endif

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "src/cpu/tree_layout-inl.hpp"
#include "src/cpu/vector-inl.hpp"
#include "upsweep/core/tree.hpp"
#include "upsweep/cpu/kernels.hpp"

#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128  // the portable level needs no vector bodies
HWY_BEFORE_NAMESPACE();
namespace upsweep::cpu::HWY_NAMESPACE {

template <class T, class Op>
struct segmented_tree {
    using base = tree_layout<T>;
    using V = typename base::V;
    using bits = hwy::MakeUnsigned<T>;  // the bits of a lane
    static constexpr std::size_t width = base::width;
    static constexpr std::size_t step = base::step;
    static constexpr std::size_t row_steps = base::row_steps;
    static constexpr std::size_t runs = base::runs;

    static HWY_INLINE V op(V a, V b) { return combine(Op(), a, b); }
    static HWY_INLINE V identity() { return hn::Set(full<T>(), Op::template identity<T>()); }

    // Row heads are two words.
    struct row_heads {
        std::uint64_t word[2];

        HWY_INLINE bool any() const { return (word[0] | word[1]) != 0; }
        // The first head of a row that has one.
        HWY_INLINE std::size_t first() const {
            return static_cast<std::size_t>(word[0] != 0 ? std::countr_zero(word[0])
                                                         : 64 + std::countr_zero(word[1]));
        }
        // Those of step g, from bit 0 on.
        HWY_INLINE std::uint64_t of_step(std::size_t g) const {
            const std::uint64_t from = word[g * step / 64] >> (g * step % 64);
            return step == 64 ? from : from & ((std::uint64_t{1} << (step % 64)) - 1);
        }
        // Bit j: whether run j has a head.
        HWY_INLINE std::uint32_t of_runs() const { return compressed(word[0]) | compressed(word[1]) << 16; }

      private:
        static HWY_INLINE std::uint32_t compressed(std::uint64_t w) {
            w |= w >> 2;
            w = (w | w >> 1) & 0x1111111111111111u;
            w = (w | w >> 3) & 0x0303030303030303u;
            w = (w | w >> 6) & 0x000f000f000f000fu;
            w = (w | w >> 12) & 0x000000ff000000ffu;
            return static_cast<std::uint32_t>((w | w >> 24) & 0xffffu);
        }
    };
    // The heads of n elements from `first` on, in a row.
    static HWY_INLINE row_heads heads_of(const std::uint64_t* heads, std::size_t first, std::size_t n) {
        return {{heads[first / 64], n - first > 64 ? heads[first / 64 + 1] : 0}};
    }
    // From the first head of each run on, all its bits.
    static HWY_INLINE std::uint64_t within_runs(std::uint64_t word) {
        word |= (word & 0x7777777777777777u) << 1;
        return word | (word & 0x3333333333333333u) << 2;
    }

    // A word with a bit for every element of a step, where each lane finds the bits of its run.
    template <bool Backwards>
    class lane_bits {
      public:
        explicit HWY_INLINE lane_bits(std::uint64_t word) {
            const full<bits> d;
            word_ = hn::Set(d, static_cast<bits>(word));
            if constexpr (step > 8 * sizeof(bits)) {
                const auto high = hn::Set(d, static_cast<bits>(word >> (8 * sizeof(bits))));
                word_ = hn::IfThenElse(hn::MaskFromVec(hn::Load(d, in_high_word.data())), high, word_);
            }
        }
        // The lanes whose item m is set.
        HWY_INLINE auto operator()(std::size_t m) const {
            const full<bits> d;
            return hn::RebindMask(full<T>(), hn::TestBit(word_, hn::Load(d, item[m].data())));
        }

      private:
        using lanes_of = std::array<bits, width>;
        static constexpr std::size_t run_of_lane(std::size_t lane) {
            std::size_t i = 0;
            while (base::template lane_of<Backwards>(i) != lane) ++i;
            return i;
        }
        HWY_ALIGN static constexpr std::array<lanes_of, core::run_size> item = [] {
            std::array<lanes_of, core::run_size> made{};
            for (std::size_t m = 0; m < core::run_size; ++m) {
                for (std::size_t lane = 0; lane < width; ++lane)
                    made[m][lane] = bits(1)
                                    << ((run_of_lane(lane) * core::run_size + m) % (8 * sizeof(bits)));
            }
            return made;
        }();
        HWY_ALIGN static constexpr lanes_of in_high_word = [] {
            lanes_of made{};
            for (std::size_t lane = 0; lane < width; ++lane)
                made[lane] = run_of_lane(lane) * core::run_size >= 8 * sizeof(bits) ? ~bits(0) : bits(0);
            return made;
        }();
        vector<bits> word_;
    };

    template <bool Backwards>
    static HWY_INLINE void fold_runs(V (&v)[core::run_size], std::uint64_t word) {
        if (word == 0) {
            for (std::size_t m = 1; m < core::run_size; ++m) v[m] = op(v[m - 1], v[m]);
            return;
        }
        const lane_bits<Backwards> heads(word);
        for (std::size_t m = 1; m < core::run_size; ++m)
            v[m] = hn::IfThenElse(heads(m), v[m], op(v[m - 1], v[m]));
    }

    // Folds the run totals of every row, a lane a row, and replaces each by the fold of those before it.
    template <bool Backwards>
    static HWY_INLINE V fold_totals(T* totals) {
        V accumulated = identity();
        for (std::size_t j = 0; j < runs; j += width) {
            V column[width];  // lane r of column[i] is total j + i of row r
            base::load_columns(totals + j, base::totals_stride, column);
            for (std::size_t i = 0; i < width; ++i) {
                V& here = column[base::template lane_of<Backwards>(i)];
                const V total = here;
                here = accumulated;
                accumulated = op(accumulated, total);
            }
            base::store_columns(column, totals + j, base::totals_stride);
        }
        return accumulated;
    }

    // The same from the last head on. run_heads[r]: bit j tells whether run j of row r has a head.
    template <bool Backwards>
    static HWY_INLINE V fold_totals(T* totals, const bits* run_heads) {
        const full<bits> d;
        const auto heads = hn::Load(d, run_heads);
        if (hn::AllTrue(d, hn::Eq(heads, hn::Zero(d)))) return fold_totals<Backwards>(totals);
        V accumulated = identity();
        auto bit = hn::Set(d, bits(1));
        for (std::size_t j = 0; j < runs; j += width) {
            V column[width];
            base::load_columns(totals + j, base::totals_stride, column);
            for (std::size_t i = 0; i < width; ++i) {
                V& here = column[base::template lane_of<Backwards>(i)];
                const V total = here;
                here = accumulated;
                const auto head = hn::RebindMask(full<T>(), hn::TestBit(heads, bit));
                accumulated = hn::IfThenElse(head, total, op(accumulated, total));
                bit = hn::Add(bit, bit);
            }
            base::store_columns(column, totals + j, base::totals_stride);
        }
        return accumulated;
    }

    // Whether results of the row that begins with element `first` of n are, as all of a row that is
    // part-filled are.
    static HWY_INLINE bool is_wanted(const std::uint64_t* wanted, std::size_t first, std::size_t n) {
        return wanted == nullptr || n - first < core::row_size || heads_of(wanted, first, n).any();
    }

    // Steps 1 and 2 on the `count` elements of a group: keeps L of the elements of wanted rows in `folded`
    // (unless null), V of every run in `totals`, and the fold of every row from its last head on.
    template <bool Backwards>
    static HWY_INLINE void fold_group(const T* x, std::size_t first, std::size_t count, std::size_t n,
                                      const std::uint64_t* heads, T* folded, T* totals, T* row_totals,
                                      const std::uint64_t* wanted = nullptr, const input_ahead& ahead = {}) {
        const full<T> d;
        HWY_ALIGN T last_step[step];
        HWY_ALIGN bits run_heads[width] = {};
        const std::size_t row_count = (count + core::row_size - 1) / core::row_size;
        for (std::size_t r = 0; r < row_count; ++r) {
            const std::size_t row = first + r * core::row_size;
            const row_heads here = heads_of(heads, row, n);
            run_heads[r] = here.any() ? here.of_runs() : 0;
            T* const row_run_totals = totals + r * base::totals_stride;
            prefetch<Backwards>(ahead, row, std::min(core::row_size, n - row), n, sizeof(T));
            const bool keeps = folded != nullptr && is_wanted(wanted, row, n);
            for (std::size_t g = 0; g < row_steps; ++g) {
                const std::size_t i = r * core::row_size + g * step;
                if (i >= count) {  // lanes without elements must not hold what would be slow or trap
                    hn::StoreU(identity(), d, row_run_totals + g * width);
                    continue;
                }
                const T* from = at<Backwards>(x, first + i, step);
                if (const std::size_t few = count - i; few < step) {
                    for (std::size_t k = 0; k < step; k += width) hn::Store(identity(), d, last_step + k);
                    base::copy_few(at<Backwards>(x, first + i, few), few,
                                   Backwards ? last_step + step - few : last_step);
                    from = last_step;
                }
                V v[core::run_size];
                base::template load_runs<Backwards>(from, v);
                fold_runs<Backwards>(v, here.of_step(g));
                if (keeps) {
                    for (std::size_t m = 0; m < core::run_size; ++m)
                        hn::Store(v[m], d, folded + i + m * width);
                }
                hn::StoreU(v[core::run_size - 1], d, row_run_totals + g * width);
            }
        }
        for (std::size_t r = row_count; r < width; ++r)
            std::fill_n(totals + r * base::totals_stride, runs, Op::template identity<T>());
        hn::Store(fold_totals<Backwards>(totals, run_heads), d, row_totals);
    }

    static HWY_ATTR void fold_rows(const T* x, std::size_t n, const std::uint64_t* heads,
                                   segment_state<T>& state, bool backwards) {
        if (backwards)
            fold_rows_as<true>(x, n, heads, state);
        else
            fold_rows_as<false>(x, n, heads, state);
    }
    template <bool Backwards>
    static HWY_NOINLINE void fold_rows_as(const T* x, std::size_t n, const std::uint64_t* heads,
                                          segment_state<T>& state) {
        HWY_ALIGN T totals[width * base::totals_stride];
        HWY_ALIGN T row_totals[width];
        for (std::size_t first = 0; first < n; first += base::group_size) {
            const std::size_t count = std::min(n - first, base::group_size);
            fold_group<Backwards>(x, first, count, n, heads, nullptr, totals, row_totals);
            for (std::size_t r = 0; r < count / core::row_size; ++r)
                push_row(state, row_totals[r], heads_of(heads, first + r * core::row_size, n));
        }
    }
    static HWY_INLINE void push_row(segment_state<T>& state, T total, const row_heads& heads) {
        if (heads.any()) {
            state = {Op::template identity<T>(), Op::template identity<T>(), total, true, state.last};
        } else {
            state.rows = Op()(state.rows, total);
        }
    }

    static HWY_ATTR void scan_rows(const T* x, T* y, std::size_t n, const std::uint64_t* heads,
                                   segment_state<T>& state, T before, const scan_pass& pass) {
        if (pass.backwards) {
            pass.exclusive ? scan_rows_as<true, true>(x, y, n, heads, state, before, pass)
                           : scan_rows_as<true, false>(x, y, n, heads, state, before, pass);
        } else {
            pass.exclusive ? scan_rows_as<false, true>(x, y, n, heads, state, before, pass)
                           : scan_rows_as<false, false>(x, y, n, heads, state, before, pass);
        }
    }
    template <bool Backwards, bool Exclusive>
    static HWY_NOINLINE void scan_rows_as(const T* x, T* y, std::size_t n, const std::uint64_t* heads,
                                          segment_state<T>& state, T before, const scan_pass& pass) {
        const std::uint64_t* const wanted = pass.wanted;
        const input_ahead ahead = pass.ahead;  // copies, which no store can change
        const full<T> d;
        HWY_ALIGN T folded[base::group_size];
        HWY_ALIGN T totals[width * base::totals_stride];
        HWY_ALIGN T row_totals[width];
        HWY_ALIGN T last_step[step];
        for (std::size_t first = 0; first < n; first += base::group_size) {
            const std::size_t count = std::min(n - first, base::group_size);
            fold_group<Backwards>(x, first, count, n, heads, folded, totals, row_totals, wanted, ahead);
            for (std::size_t row = 0; row < count; row += core::row_size) {
                const row_heads here = heads_of(heads, first + row, n);
                if (!is_wanted(wanted, first + row, n)) {
                    push_row(state, row_totals[row / core::row_size], here);
                    continue;
                }
                const std::size_t fresh = here.any() ? here.first() : core::row_size;
                const T* const runs_before = totals + row / core::row_size * base::totals_stride;
                const V s = hn::Set(d, state.supers);
                const V t = hn::Set(d, state.tiles);
                const V rows = hn::Set(d, state.rows);
                for (std::size_t g = 0; g < row_steps && row + g * step < count; ++g) {
                    const std::size_t i = row + g * step;
                    const T* const step_folded = folded + i;
                    const auto item = [&](std::size_t m)
                                          HWY_ATTR { return hn::Load(d, step_folded + m * width); };
                    const V run = hn::LoadU(d, runs_before + g * width);
                    V v[core::run_size];
                    if ((g + 1) * step <= fresh) {
                        for (std::size_t m = 0; m < core::run_size; ++m) {
                            const std::size_t k = Exclusive ? m - 1 : m;  // the last item that counts
                            const V nested = Exclusive && m == 0 ? run : op(run, item(k));
                            v[m] = op(s, op(t, op(rows, nested)));
                        }
                    } else {
                        const std::uint64_t word = here.of_step(g);
                        const lane_bits<Backwards> is_head(word);
                        const lane_bits<Backwards> follows_head(within_runs(word));
                        const bool all_fresh = fresh <= g * step;
                        const lane_bits<Backwards> is_old(
                            all_fresh ? 0 : (std::uint64_t{1} << (fresh - g * step)) - 1);
                        for (std::size_t m = 0; m < core::run_size; ++m) {
                            const std::size_t k = Exclusive ? m - 1 : m;  // the last item that counts
                            V nested = run;
                            if (!Exclusive || m != 0) {
                                const V items = item(k);
                                nested = hn::IfThenElse(follows_head(k), items, op(run, items));
                            }
                            if (!all_fresh) {
                                nested = hn::IfThenElse(is_old(m), op(s, op(t, op(rows, nested))), nested);
                            }
                            v[m] =
                                Exclusive ? hn::IfThenElse(is_head(m), hn::Set(d, before), nested) : nested;
                        }
                    }
                    if (const std::size_t few = count - i; few < step) {
                        base::template store_runs<placement::cached, Backwards>(v, last_step);
                        base::copy_few(Backwards ? last_step + step - few : last_step, few,
                                       at<Backwards>(y, first + i, few));
                    } else {
                        base::template store_runs<placement::cached, Backwards>(
                            v, at<Backwards>(y, first + i, step));
                    }
                }
                if (row + core::row_size <= count) {
                    push_row(state, row_totals[row / core::row_size], here);
                    state.last = Op()(state.supers, Op()(state.tiles, state.rows));
                } else {
                    state.last = value_at<Backwards>(count - 1 - row, here, folded + row, runs_before, state);
                }
            }
        }
    }
    // The value after element i of a row.
    template <bool Backwards>
    static HWY_INLINE T value_at(std::size_t i, const row_heads& heads, const T* folded, const T* runs_before,
                                 const segment_state<T>& state) {
        const std::size_t g = i / step;
        const std::size_t lane = base::template lane_of<Backwards>(i % step / core::run_size);
        const T items = folded[g * step + i % core::run_size * width + lane];
        const bool follows_head = (within_runs(heads.of_step(g)) >> (i % step) & 1) != 0;
        const T nested = follows_head ? items : Op()(runs_before[g * width + lane], items);
        if (heads.any() && heads.first() <= i) return nested;
        return Op()(state.supers, Op()(state.tiles, Op()(state.rows, nested)));
    }
};

}  // namespace upsweep::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

#endif

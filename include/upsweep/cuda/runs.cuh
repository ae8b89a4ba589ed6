// The inner two levels of the combination tree (docs/numerics.md): elements to runs in a lane's registers,
// runs to rows and rows to tiles by one warp, and the way back to results.
#pragma once

#include <cstdint>

#include "upsweep/cuda/bytes.cuh"
#include "upsweep/cuda/combine.cuh"
#include "upsweep/cuda/rows.cuh"
#include "upsweep/cuda/words.cuh"

namespace upsweep::cuda {

// Elements a lane takes at once: the tree's 4, or 16 bytes of elements of 1 or 2 where grouping is free.
template <class Acc, class Op, int WidestElement>
inline constexpr int run_items = is_free<Op, Acc>&& WidestElement <= 2 ? 16 / WidestElement : 4;
inline constexpr int most_items = 16;

// One run of each input array in registers.
template <int Items, class... In>
struct raw_run {
    __device__ __forceinline__ raw_run& arrays() { return *this; }
    template <class Function, class... Earlier>
    __device__ __forceinline__ auto element(int, const Function& function, const Earlier&... earlier) const {
        return function(earlier...);
    }
};
template <int Items, class First, class... Rest>
struct raw_run<Items, First, Rest...> {
    word_array<Items* int(sizeof(First)) / 4> words;
    [[no_unique_address]] raw_run<Items, Rest...> rest;

    __device__ __forceinline__ raw_run& arrays() { return *this; }
    __device__ __forceinline__ const raw_run& arrays() const { return *this; }

    // function(x0, x1, ...) of element m of every array.
    template <class Function, class... Earlier>
    __device__ __forceinline__ auto element(int m, const Function& function,
                                            const Earlier&... earlier) const {
        return rest.element(m, function, earlier..., unpack<First>(words, m));
    }
};

// The same with a bit for each element, whether it begins a segment; both in the order of memory.
template <int Items, class... In>
struct raw_run_in_segments {
    raw_run<Items, In...> own;
    unsigned heads;

    __device__ __forceinline__ raw_run<Items, In...>& arrays() { return own; }
    __device__ __forceinline__ const raw_run<Items, In...>& arrays() const { return own; }

    // function(x0, x1, ..., head)
    template <class Function>
    __device__ __forceinline__ auto element(int m, const Function& function) const {
        return own.element(m, [&](const auto&... x) { return function(x..., (heads >> m & 1) != 0); });
    }
};

// Bit m says whether element m of a lane's run is chosen (choosing.cuh), if it is one of the first `valid`.
template <class Types>
__device__ __forceinline__ unsigned chosen_bits(const typename Types::Raw& raw,
                                                const typename Types::Load& load, int valid = Types::items) {
    unsigned bits = 0;
#pragma unroll
    for (int m = 0; m < Types::items; ++m)
        if (m < valid && raw.element(m, load) != 0) bits |= 1u << m;
    return bits;
}

// Elements convert to the caller's accumulator type, Nominal, and from it to the register's.
template <class Nominal, class Acc, int Items, class Raw, class Function>
__device__ __forceinline__ void load_accumulators(const Raw& raw, const Function& function, bool reverse,
                                                  Acc (&x)[Items]) {
#pragma unroll
    for (int m = 0; m < Items; ++m) {
        x[m] = convert<Acc>(convert<Nominal>(raw.element(m, function)));
    }
    if (reverse) {
#pragma unroll
        for (int m = 0; m < Items / 2; ++m) {
            Acc other = x[m];
            x[m] = x[Items - 1 - m];
            x[Items - 1 - m] = other;
        }
    }
}

template <class Acc, class Op, int Items>
__device__ __forceinline__ Acc fold_run(const combiner<Acc, Op>& combine, const Acc (&x)[Items]) {
    Acc total = x[0];
#pragma unroll
    for (int m = 1; m < Items; ++m) total = combine(total, x[m]);
    return total;
}

// What stands to the left of a run: V, R, T and S of the tree, each with whether it is there.
template <class Acc>
struct left_parts {
    Acc supers, tiles, rows, runs;
    bool has_supers, has_tiles, has_rows, has_runs;
};

// Sets one part to value(), if it is present. Where the identity is neutral it stands for an absent part once
// and for all, instead of at each element.
template <class Acc, class Op, class Value>
__device__ __forceinline__ void set_part(const combiner<Acc, Op>&, bool present, const Value& value,
                                         Acc& part, bool& has) {
    if constexpr (is_neutral<Op, Acc>) {
        part = combiner<Acc, Op>::identity();
        has = true;
    } else {
        has = present;
        if constexpr (is_combined_anyway<Op, Acc>) part = Acc{};
    }
    if (present) part = value();
}

// S (+) (T (+) (R (+) (V (+) x)))
template <class Acc, class Op>
__device__ __forceinline__ Acc join_left(const combiner<Acc, Op>& combine, const left_parts<Acc>& left,
                                         const Acc& x) {
    return combine.join(
        left.has_supers, left.supers,
        combine.join(left.has_tiles, left.tiles,
                     combine.join(left.has_rows, left.rows, combine.join(left.has_runs, left.runs, x))));
}

// The same without x, to `result`. Returns false when all parts are absent.
template <class Acc, class Op>
__device__ __forceinline__ bool join_parts(const combiner<Acc, Op>& combine, const left_parts<Acc>& left,
                                           Acc& result) {
    bool present = left.has_runs;
    if (present) result = left.runs;
    const auto join = [&](bool has, const Acc& part) {
        if (has) result = present ? combine(part, result) : part;
        present = present || has;
    };
    join(left.has_rows, left.rows);
    join(left.has_tiles, left.tiles);
    join(left.has_supers, left.supers);
    return present;
}

// All parts to the left of a run, where operands may be grouped freely. `start` is the identity in the range
// of the caller's type.
template <class Acc, class Op>
__device__ __forceinline__ Acc join_free(const combiner<Acc, Op>& combine, const left_parts<Acc>& left,
                                         const Acc& start) {
    return combine(combine(start, left.supers), combine(combine(left.tiles, left.rows), left.runs));
}

// Elements to results, in place. `start` is what an exclusive scan stores where nothing stands to the left.
template <bool Exclusive, class Acc, class Op, int Items>
__device__ __forceinline__ void scan_run(const combiner<Acc, Op>& combine, const left_parts<Acc>& left,
                                         const Acc& start, Acc (&x)[Items]) {
    if constexpr (is_free<Op, Acc>) {
        Acc before = combine(combine(start, left.supers), combine(combine(left.tiles, left.rows), left.runs));
#pragma unroll
        for (int m = 0; m < Items; ++m) {
            const Acc next = combine(before, x[m]);
            x[m] = Exclusive ? combine.exclusive(before, x[m], start) : next;
            before = next;
        }
    } else {
        Acc within = x[0];
        if constexpr (Exclusive) {
            Acc before = start;
            join_parts(combine, left, before);
            x[0] = combine.exclusive(before, within, start);
        } else {
            x[0] = join_left(combine, left, x[0]);
        }
#pragma unroll
        for (int m = 1; m < Items; ++m) {
            const Acc next = combine(within, x[m]);
            if constexpr (Exclusive)
                x[m] = combine.exclusive(join_left(combine, left, within), x[m], start);
            else
                x[m] = join_left(combine, left, next);
            within = next;
        }
    }
}

// Stores the scan's total: what stands to the left and the elements up to item `last` of this row. By all
// lanes of a warp.
template <class Arguments, class Acc, class Op, int Items>
__device__ __forceinline__ void store_total(const Arguments& arguments, const combiner<Acc, Op>& combine,
                                            const left_parts<Acc>& left, const Acc (&x)[Items], int last,
                                            int lane) {
    if (lane != last / Items) return;
    Acc within = x[0];
#pragma unroll
    for (int m = 1; m < Items; ++m)
        if (m <= last % Items) within = combine(within, x[m]);
    *arguments.total =
        static_cast<std::remove_reference_t<decltype(*arguments.total)>>(join_left(combine, left, within));
}

// A tile's run totals in shared memory, a row of 32 a line. Lines are padded so that a warp that reads a
// column, a row a lane, meets no bank twice; large values are cut into words, of which those of a line lie
// together, so that it meets none twice along a line either. `Stored` may be narrower than what is computed
// with.
template <class Acc, class Stored = Acc>
struct run_totals {
    static constexpr bool sliced = sizeof(Stored) > 8;
    static constexpr int words = words_for<sizeof(Acc)>;
    static constexpr int pad = sliced || alignof(Stored) < 4 ? 4 : int(alignof(Stored));
    static constexpr int value_bytes = sliced ? words * 4 : int(sizeof(Stored));
    static constexpr int line = (32 * value_bytes + pad + pad - 1) / pad * pad;
    char* data;

    __device__ __forceinline__ Acc load(int row, int run) const {
        if constexpr (sliced) {
            const auto* from = reinterpret_cast<const std::uint32_t*>(data + row * line) + run;
            word_array<words> own;
#pragma unroll
            for (int k = 0; k < words; ++k) own.word[k] = from[k * 32];
            return from_words<Acc>(own);
        } else {
            return reinterpret_cast<const Stored*>(data + row * line)[run];
        }
    }
    __device__ __forceinline__ void store(int row, int run, const Acc& value) const {
        if constexpr (sliced) {
            auto* to = reinterpret_cast<std::uint32_t*>(data + row * line) + run;
            const auto own = to_words(value);
#pragma unroll
            for (int k = 0; k < words; ++k) to[k * 32] = own.word[k];
        } else {
            reinterpret_cast<Stored*>(data + row * line)[run] = static_cast<Stored>(value);
        }
    }
};

// Whether folds are loops of few instructions. Where a combination takes several, those of a look-ahead
// scan's warps, unrolled, would not all stay in the instruction cache.
template <class Acc>
inline constexpr bool folds_in_loops = false;

// Elements read at once from shared memory before they are folded one by one.
template <class Acc>
inline constexpr int fold_batch = sizeof(Acc) > 16                         ? 2
                                  : sizeof(Acc) > 8 || folds_in_loops<Acc> ? 8
                                  : sizeof(Acc) > 4                        ? 16
                                                                           : 32;

// Replaces the totals of a row's runs by their left folds and returns the row's total; a row a lane.
template <class Acc, class Op, class Stored>
__device__ __forceinline__ Acc fold_runs(const combiner<Acc, Op>& combine,
                                         const run_totals<Acc, Stored>& totals, int row) {
    constexpr int batch = fold_batch<Acc>;
    Acc sum{};
#pragma unroll 1
    for (int first = 0; first < 32; first += batch) {
        Acc x[batch];
#pragma unroll
        for (int j = 0; j < batch; ++j) x[j] = totals.load(row, first + j);
#pragma unroll
        for (int j = 0; j < batch; ++j) {
            sum = first + j == 0 ? x[0] : combine(sum, x[j]);
            totals.store(row, first + j, sum);
        }
    }
    return sum;
}

// What stands to the left of a lane's run in its row, after fold_runs().
template <class Acc, class Op, class Stored>
__device__ __forceinline__ void set_runs(const combiner<Acc, Op>& combine,
                                         const run_totals<Acc, Stored>& totals, int row, int lane,
                                         left_parts<Acc>& left) {
    set_part(
        combine, lane > 0, [&] { return totals.load(row, lane - 1); }, left.runs, left.has_runs);
}

// The left fold of the first `count` values of a line, 1 to 32 of them; they stay as they are. Reads up
// to 32.
template <class Acc, class Op, class Stored>
__device__ __forceinline__ Acc fold_line(const combiner<Acc, Op>& combine,
                                         const run_totals<Acc, Stored>& lines, int line, int count) {
    constexpr int batch = fold_batch<Acc>;
    Acc sum{};
#pragma unroll 1
    for (int first = 0; first < count; first += batch) {
        Acc x[batch];
#pragma unroll
        for (int j = 0; j < batch; ++j) x[j] = lines.load(line, first + j);
#pragma unroll
        for (int j = 0; j < batch; ++j)
            if (first + j < count) sum = first + j == 0 ? x[0] : combine(sum, x[j]);
    }
    return sum;
}

// The total of a row's runs, which stay as they are.
template <class Acc, class Op, class Stored>
__device__ __forceinline__ Acc fold_row(const combiner<Acc, Op>& combine,
                                        const run_totals<Acc, Stored>& totals, int row) {
    return fold_line(combine, totals, row, 32);
}

// Left folds over the lanes of a warp: lane l gets x0 (+) ... (+) xl.
template <class Acc, class Op>
__device__ __forceinline__ Acc fold_lanes(const combiner<Acc, Op>& combine, const Acc& x, int lane) {
    if constexpr (is_free<Op, Acc>) {
        Acc sum = x;
#pragma unroll
        for (int distance = 1; distance < 32; distance *= 2) {
            const Acc left = shuffle_up(sum, distance);
            if (lane >= distance) sum = combine(left, sum);
        }
        return sum;
    } else {
        Acc sum = shuffle(x, 0);
        // Shuffles do not wait for each other; small values are all under way at once.
        constexpr int at_once = sizeof(Acc) > 8 ? 4 : folds_in_loops<Acc> ? 8 : 32;
#pragma unroll(at_once)
        for (int j = 1; j < 32; ++j) {
            const Acc next = shuffle(x, j);
            if (j <= lane) sum = combine(sum, next);
        }
        return sum;
    }
}

// Results as packed words in memory order; they pass through the caller's accumulator type, Nominal.
template <class Out, class Nominal, class Acc, int Items, class Function>
__device__ __forceinline__ word_array<Items* int(sizeof(Out)) / 4> pack_results(const Acc (&x)[Items],
                                                                                const Function& function,
                                                                                bool reverse) {
    word_array<Items* int(sizeof(Out)) / 4> words;
    if constexpr ((std::same_as<Out, float16> || std::same_as<Out, bfloat16>)&&std::same_as<Acc, float> &&
                  std::same_as<Function, as_is>) {
#pragma unroll
        for (int m = 0; m < Items; m += 2)
            words.word[m / 2] = reverse ? convert_pair<Out>(x[Items - 1 - m], x[Items - 2 - m])
                                        : convert_pair<Out>(x[m], x[m + 1]);
        return words;
    }
    if (reverse) {
#pragma unroll
        for (int m = 0; m < Items; ++m)
            pack(words, m, convert<Out>(function(convert<Nominal>(x[Items - 1 - m]))));
    } else {
#pragma unroll
        for (int m = 0; m < Items; ++m) pack(words, m, convert<Out>(function(convert<Nominal>(x[m]))));
    }
    return words;
}

}  // namespace upsweep::cuda

// The inner two levels of the combination tree (docs/numerics.md): elements to runs in a lane's registers,
// runs to rows and rows to tiles by one warp, and the way back to results.
#pragma once

#include <cstdint>

#include "upsweep/cuda/bytes.cuh"
#include "upsweep/cuda/combine.cuh"
#include "upsweep/cuda/rows.cuh"
#include "upsweep/cuda/words.cuh"

namespace upsweep::cuda {

// Elements a lane takes at once: the tree's 4, or 16 bytes of narrow elements where grouping is free.
template <class Acc, class Op, int WidestElement>
inline constexpr int run_items = is_free<Op, Acc>&& WidestElement < 4 ? 16 / WidestElement : 4;

// One run of each input array in registers.
template <int Items, class... In>
struct raw_run {
    template <class Function, class... Earlier>
    __device__ __forceinline__ auto element(int, const Function& function, const Earlier&... earlier) const {
        return function(earlier...);
    }
};
template <int Items, class First, class... Rest>
struct raw_run<Items, First, Rest...> {
    word_array<Items* int(sizeof(First)) / 4> words;
    raw_run<Items, Rest...> rest;

    // function(x0, x1, ...) of element m of every array.
    template <class Function, class... Earlier>
    __device__ __forceinline__ auto element(int m, const Function& function,
                                            const Earlier&... earlier) const {
        return rest.element(m, function, earlier..., unpack<First>(words, m));
    }
};

// Elements convert to the caller's accumulator type, Nominal, and from it to the register's.
template <class Nominal, class Acc, int Items, class Function, class... In>
__device__ __forceinline__ void load_accumulators(const raw_run<Items, In...>& raw, const Function& function,
                                                  bool reverse, Acc (&x)[Items]) {
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
            x[m] = Exclusive ? before : next;
            before = next;
        }
    } else {
        Acc within = x[0];
        if constexpr (Exclusive) {
            if (!join_parts(combine, left, x[0])) x[0] = start;
        } else {
            x[0] = join_left(combine, left, x[0]);
        }
#pragma unroll
        for (int m = 1; m < Items; ++m) {
            const Acc next = combine(within, x[m]);
            x[m] = join_left(combine, left, Exclusive ? within : next);
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
// together, so that it meets none twice along a line either.
template <class Acc>
struct run_totals {
    static constexpr bool sliced = sizeof(Acc) > 8;
    static constexpr int words = words_for<sizeof(Acc)>;
    static constexpr int pad = sliced || alignof(Acc) < 4 ? 4 : int(alignof(Acc));
    static constexpr int value_bytes = sliced ? words * 4 : int(sizeof(Acc));
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
            return reinterpret_cast<const Acc*>(data + row * line)[run];
        }
    }
    __device__ __forceinline__ void store(int row, int run, const Acc& value) const {
        if constexpr (sliced) {
            auto* to = reinterpret_cast<std::uint32_t*>(data + row * line) + run;
            const auto own = to_words(value);
#pragma unroll
            for (int k = 0; k < words; ++k) to[k * 32] = own.word[k];
        } else {
            reinterpret_cast<Acc*>(data + row * line)[run] = value;
        }
    }
};

// Elements read at once from shared memory before they are folded one by one.
template <class Acc>
inline constexpr int fold_batch = sizeof(Acc) <= 4    ? 32
                                  : sizeof(Acc) <= 8  ? 16
                                  : sizeof(Acc) <= 16 ? 8
                                                      : 2;

// Replaces the totals of a row's runs by their left folds and returns the row's total; a row a lane.
template <class Acc, class Op>
__device__ __forceinline__ Acc fold_runs(const combiner<Acc, Op>& combine, const run_totals<Acc>& totals,
                                         int row) {
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

// The left fold of the first `count` values of a line, 1 to 32 of them; they stay as they are. Reads up
// to 32.
template <class Acc, class Op>
__device__ __forceinline__ Acc fold_line(const combiner<Acc, Op>& combine, const run_totals<Acc>& lines,
                                         int line, int count) {
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
#pragma unroll(sizeof(Acc) <= 8 ? 32 : 4)
        for (int j = 1; j < 32; ++j) {
            const Acc next = shuffle(x, j);
            if (j <= lane) sum = combine(sum, next);
        }
        return sum;
    }
}

// The value of all lanes, grouped freely; in every lane.
template <class Acc, class Op>
__device__ __forceinline__ Acc reduce_lanes(const combiner<Acc, Op>& combine,
                                            Acc x) requires is_free<Op, Acc> {
#pragma unroll
    for (int distance = 16; distance > 0; distance /= 2) x = combine(x, shuffle_xor(x, distance));
    return x;
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

// How a row of results reaches the output.
enum class storing {
    direct,   // one access a lane, or two of neighbouring lanes: full rows, aligned for whole runs of 4, 8 or
              // 16 bytes
    shifted,  // 16 aligned bytes a lane and piece, words exchanged between lanes: full rows of aligned words
    staged,   // through shared memory: any row
    scattered,  // each lane its own elements: any row, slowly
};
template <class Out, int Items>
inline constexpr storing best_storing = Items * sizeof(Out) == 4 || Items * sizeof(Out) == 8 ||
                                                Items * sizeof(Out) == 16 || Items * sizeof(Out) == 32
                                            ? storing::direct
                                            : storing::staged;
template <class Out, int Items>
inline constexpr storing shifting = alignof(Out) >= 4 &&
                                            (Items * sizeof(Out) == 16 || Items * sizeof(Out) == 32)
                                        ? storing::shifted
                                        : storing::staged;

// Whether full rows of an output at `out` are aligned for direct storing.
template <class Out, int Items>
__device__ __forceinline__ bool stores_directly(const Out* out, std::uint64_t n, bool reverse) {
    constexpr int run_bytes = Items * int(sizeof(Out)) < 16 ? Items * int(sizeof(Out)) : 16;
    return (reinterpret_cast<std::uintptr_t>(out) + (reverse ? n * sizeof(Out) : 0)) % run_bytes == 0;
}

// Full rows of 32-byte runs at a multiple of 16 bytes: two neighbouring lanes store first the one's run, then
// the other's, so that each access covers whole sectors of 32 bytes.
__device__ __forceinline__ void store_pairs(char* row, const word_array<8>& words, int slot) {
    const bool odd = slot % 2 != 0;
    uint4 own, other;
    std::uint32_t kept[4], received[4];
#pragma unroll
    for (int k = 0; k < 4; ++k) {
        kept[k] = odd ? words.word[4 + k] : words.word[k];
        received[k] = __shfl_xor_sync(0xffffffffu, odd ? words.word[k] : words.word[4 + k], 1);
    }
    own = {kept[0], kept[1], kept[2], kept[3]};
    other = {received[0], received[1], received[2], received[3]};
    uint4* const pair = reinterpret_cast<uint4*>(row + slot / 2 * 64);
    pair[odd ? 1 : 0] = odd ? other : own;
    pair[odd ? 3 : 2] = odd ? own : other;
}

// Full rows at any multiple of 4 bytes: lanes store aligned pieces of 16 bytes, which begin with the last
// words of the run before.
template <int Bytes>
__device__ __forceinline__ void store_shifted(char* row, const word_array<Bytes / 4>& words, bool reverse,
                                              int lane) {
    constexpr int count = Bytes / 4;
    const int offset = int(reinterpret_cast<std::uintptr_t>(row) % 16) / 4;
    const int slot = reverse ? 31 - lane : lane;
    const int before = reverse ? lane + 1 : lane - 1;
    std::uint32_t x[count + 3];
#pragma unroll
    for (int k = 0; k < 3; ++k) x[k] = __shfl_sync(0xffffffffu, words.word[count - 3 + k], before & 31);
#pragma unroll
    for (int k = 0; k < count; ++k) x[3 + k] = words.word[k];
    char* const run = row + slot * Bytes;
    // The words behind the last aligned piece of the row.
    if (slot == 31) {
#pragma unroll
        for (int k = 0; k < 3; ++k)
            if (k >= 3 - offset) reinterpret_cast<std::uint32_t*>(run)[count - 3 + k] = x[count + k];
    }
    // Moved down by 3 - offset: x[0] is the first word of the piece.
    if ((3 - offset) & 1) {
#pragma unroll
        for (int k = 0; k < count + 2; ++k) x[k] = x[k + 1];
    }
    if ((3 - offset) & 2) {
#pragma unroll
        for (int k = 0; k < count + 1; ++k) x[k] = x[k + 2];
    }
    char* const piece = run - offset * 4;
    if (slot > 0 || offset == 0) {
        *reinterpret_cast<uint4*>(piece) = {x[0], x[1], x[2], x[3]};
    } else {
#pragma unroll
        for (int k = 1; k < 4; ++k)
            if (k >= offset) reinterpret_cast<std::uint32_t*>(piece)[k] = x[k];
    }
#pragma unroll
    for (int k = 4; k < count; k += 4)
        reinterpret_cast<uint4*>(piece)[k / 4] = {x[k], x[k + 1], x[k + 2], x[k + 3]};
}

// Stores a row of results that lies in shared memory, after all lanes have written it.
template <int RowItems, class Out>
__device__ __forceinline__ void store_image(char* row, const char* image, bool reverse, int valid, int lane) {
    if (valid == RowItems) {
        copy_row<int(alignof(Out)), RowItems* int(sizeof(Out))>(row, image, lane);
    } else {
        const int skipped = reverse ? (RowItems - valid) * int(sizeof(Out)) : 0;
        copy_bytes<int(alignof(Out))>(row + skipped, image + skipped, std::int64_t(valid) * int(sizeof(Out)),
                                      lane);
    }
    __syncwarp();
}

// Stores a row of packed results. `first` is the index of the row's first element in scan order, `valid` how
// many of its elements there are; `image` is shared memory of one warp, at least 32 runs and 16 bytes long.
template <storing How, int Items, class Out>
__device__ __forceinline__ void store_row(Out* out, std::uint64_t n, bool reverse, std::uint64_t first,
                                          int valid, const word_array<Items* int(sizeof(Out)) / 4>& words,
                                          char* image, int lane) {
    constexpr int run_bytes = Items * int(sizeof(Out));
    constexpr int row_items = 32 * Items;
    const int slot = reverse ? 31 - lane : lane;
    // Where slot 0 would be in memory; with a part-filled row read backwards that is before the array.
    const auto row = reinterpret_cast<std::uintptr_t>(out) +
                     (reverse ? n - first - row_items : first) * std::uint64_t(sizeof(Out));
    if constexpr (How == storing::direct && run_bytes == 32) {
        store_pairs(reinterpret_cast<char*>(row), words, slot);
    } else if constexpr (How == storing::direct) {
        using unit = typename detail::unit_of<run_bytes>::type;
        unit whole;
        std::memcpy(&whole, &words, run_bytes);
        reinterpret_cast<unit*>(row)[slot] = whole;
    } else if constexpr (How == storing::shifted) {
        store_shifted<run_bytes>(reinterpret_cast<char*>(row), words, reverse, lane);
    } else if constexpr (How == storing::scattered) {
#pragma unroll
        for (int m = 0; m < Items; ++m) {
            const int at = slot * Items + m;
            if (reverse ? at >= row_items - valid : at < valid)
                store_element(reinterpret_cast<char*>(row) + at * int(sizeof(Out)), unpack<Out>(words, m),
                              false, lane);
        }
    } else {
        const int shift = int(row % 16);
        write_run<run_bytes, int(alignof(Out))>(image + shift + slot * run_bytes,
                                                shift % access_size<run_bytes> == 0, lane, words);
        __syncwarp();
        store_image<row_items, Out>(reinterpret_cast<char*>(row), image + shift, reverse, valid, lane);
    }
}

}  // namespace upsweep::cuda

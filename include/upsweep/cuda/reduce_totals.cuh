// What kernels of reductions share: where sequences lie, and how totals of tiles that different warps have
// found become one.
//
// The value of a part-filled run, row, tile or super is the left fold of the values of what it is made of,
// the last of which may be part-filled in turn: S (+) (T (+) (R (+) (V (+) L))) of docs/numerics.md, said
// from the inside.
//
// Values are published (tile_state.cuh), and whoever publishes one counts itself at what it is a part of: the
// last of a super's tiles folds the super, the last of a group of 256 supers, and of what stands in front of
// these, what stands behind them. So nobody waits for anybody who may still have something to do: what the
// others have published is on its way at least. Fences would spare the tags, and take longer than everything
// else.
#pragma once

#include <algorithm>
#include <cstdint>

#include "upsweep/cuda/axis_arguments.cuh"
#include "upsweep/cuda/tile_state.cuh"

namespace upsweep::cuda {

// One sequence, whose elements are neighbours.
template <class Types>
struct reduced_sequence {
    scan_arguments<Types> scan;

    static constexpr bool is_single = true;
    __host__ __device__ std::uint64_t sequences() const { return 1; }
    __host__ __device__ std::int64_t stride() const { return 1; }
    __device__ std::int64_t first(std::uint64_t) const { return 0; }
    __device__ std::int64_t result(std::uint64_t) const { return 0; }
};

// Those along an axis, of which geometry.begin() has `second` for the result.
template <class Types>
struct reduced_axis {
    scan_arguments<Types> scan;
    core::axis_geometry geometry;

    static constexpr bool is_single = false;
    __host__ __device__ std::uint64_t sequences() const { return geometry.sequence_count; }
    __host__ __device__ std::int64_t stride() const { return geometry.in_stride; }
    __device__ std::int64_t first(std::uint64_t sequence) const { return geometry.begin(sequence).in; }
    __device__ std::int64_t result(std::uint64_t sequence) const { return geometry.begin(sequence).second; }
};

namespace detail {

// The result of a sequence.
template <class Shape, class Acc>
__device__ __forceinline__ void store_reduced(const Shape& shape, std::uint64_t sequence, const Acc& value) {
    shape.scan.out[shape.result(sequence)] = make_result(shape.scan, value);
}
// What stands in a result's place, given the value of all elements: the initial value is in front of it.
template <class Types>
__device__ __forceinline__ typename Types::Out with_initial(const scan_arguments<Types>& scan,
                                                            const typename Types::Acc& value) {
    typename Types::Acc initial{};
    if (scan.has_initial) initial = scan.initial_value();
    return make_result(scan, scan.combine().join(scan.has_initial, initial, value));
}
// The same, where no initial value stands in front of it yet.
template <class Shape, class Acc>
__device__ __forceinline__ void store_first_reduced(const Shape& shape, std::uint64_t sequence,
                                                    const Acc& value) {
    shape.scan.out[shape.result(sequence)] = with_initial(shape.scan, value);
}

// (before (+)) x[first] (+) ... (+) x[first + (count - 1) step] of published values, one at least, for a
// sequence that all lanes of a warp have. They read one after the other, some ahead, and all get the same.
struct fold_published_by_warp {
    int lane;

    template <class Acc, class Op>
    __device__ __forceinline__ Acc operator()(const combiner<Acc, Op>& combine, const published<Acc>& x,
                                              std::uint64_t first, std::uint64_t step, int count,
                                              std::uint32_t tag, bool present, const Acc& before) const {
        constexpr int at_once = sizeof(Acc) > 8 ? 4 : 31, batch = sizeof(Acc) > 8 ? 1 : 4;
        Acc sum = before;
#pragma unroll 1
        for (int from = 0; from < count; from += 32 * batch) {
            typename published<Acc>::template pending<1> got[batch];
            for (;;) {
                bool complete = true;
#pragma unroll
                for (int k = 0; k < batch; ++k) {
                    const int at = from + 32 * k + lane;
                    x.start_reading(first + std::uint64_t(at < count ? at : from) * step, got[k]);
                }
#pragma unroll
                for (int k = 0; k < batch; ++k) complete = complete && got[k].complete(tag);
                if (__all_sync(0xffffffffu, complete)) break;
                pause_polling();
            }
#pragma unroll
            for (int k = 0; k < batch; ++k) {
                const int left = count - from - 32 * k;
                if (left <= 0) break;
                const Acc own = got[k].value();
                sum = combine.join(present, sum, shuffle(own, 0));
                present = true;
#pragma unroll(at_once)
                for (int j = 1; j < 32; ++j) {
                    const Acc next = shuffle(own, j);
                    if (j < left) sum = combine(sum, next);
                }
            }
        }
        return sum;
    }
};
// The same by each lane for a sequence of its own.
struct fold_published_by_lane {
    template <class Acc, class Op>
    __device__ __forceinline__ Acc operator()(const combiner<Acc, Op>& combine, const published<Acc>& x,
                                              std::uint64_t first, std::uint64_t step, int count,
                                              std::uint32_t tag, bool present, const Acc& before) const {
        constexpr int batch = sizeof(Acc) > 16 ? 1 : sizeof(Acc) > 8 ? 4 : 8;
        Acc sum = before;
#pragma unroll 1
        for (int from = 0; from < count; from += batch) {
            typename published<Acc>::template pending<1> got[batch];
            for (;;) {
                bool complete = true;
#pragma unroll
                for (int k = 0; k < batch; ++k)
                    x.start_reading(first + std::uint64_t(from + k < count ? from + k : from) * step, got[k]);
#pragma unroll
                for (int k = 0; k < batch; ++k) complete = complete && got[k].complete(tag);
                if (complete) break;
                pause_polling();
            }
#pragma unroll
            for (int k = 0; k < batch; ++k) {
                if (from + k >= count) break;
                sum = combine.join(present, sum, got[k].value());
                present = true;
            }
        }
        return sum;
    }
};

// Sequences that a warp works on together are a unit. What tiles of them come to, and how many have come, in
// tagged words: level by level, value k of sequence q is number k * sequences + q.
template <class Types>
struct reduced_levels {
    using Acc = typename Types::Acc;
    published<Acc> tiles, supers, prefixes;
    unsigned long long *of_supers, *of_groups;   // how many children have come, of each unit's
    std::uint64_t sequences, units, tile_count;  // of tiles that a sequence has
    std::uint32_t tag;

    __host__ __device__ static constexpr std::uint64_t even(std::uint64_t count) {
        return (count + 1) / 2 * 2;
    }
    static constexpr unsigned group_size = 256;  // supers
    __host__ __device__ static constexpr std::uint64_t supers_of(std::uint64_t tiles) {
        return (tiles + 31) / 32;
    }
    __host__ __device__ static constexpr std::uint64_t groups_of(std::uint64_t supers) {
        return (supers + group_size - 1) / group_size;
    }
    // From one counter to the next, where there are few: so far apart that those in use at one time are in
    // different parts of the L2 cache (docs/cuda-design.md has what was measured of it).
    static constexpr std::uint64_t few_sequences = 1023, words_apart = 128, words_beside = 4;
    __host__ __device__ static constexpr std::uint64_t counter_words(std::uint64_t sequences) {
        return sequences <= few_sequences ? words_apart : words_beside;
    }
    // Of a counter for each sequence; never less for more of them.
    static constexpr std::uint64_t counters_of(std::uint64_t sequences) {
        const std::uint64_t few = sequences < few_sequences ? sequences : few_sequences;
        return std::max(few * words_apart, sequences * words_beside);
    }
    // Words of at most so many tiles a sequence.
    static constexpr std::uint64_t words(std::uint64_t sequences, std::uint64_t most) {
        const std::uint64_t supers = supers_of(most), groups = groups_of(supers);
        return (even(sequences * most) + even(sequences * supers) + even(sequences * groups)) *
                   words_for<sizeof(Acc)> +
               counters_of(sequences) * (supers + groups);
    }

    // There is memory for `most` tiles a sequence, which has `actual` ones.
    __device__ reduced_levels(unsigned long long* tagged, std::uint64_t all, std::uint64_t all_units,
                              std::uint64_t most, std::uint64_t actual, std::uint32_t launch_tag)
        : sequences(all), units(all_units), tile_count(actual), tag(launch_tag) {
        constexpr int words = words_for<sizeof(Acc)>;
        const std::uint64_t most_supers = supers_of(most), most_groups = groups_of(most_supers);
        tiles = {tagged, all * most};
        supers = {tagged + even(all * most) * words, all * most_supers};
        prefixes = {supers.tagged + even(all * most_supers) * words, all * most_groups};
        of_supers = prefixes.tagged + even(all * most_groups) * words;
        of_groups = of_supers + counter_words(all) * all * most_supers;
    }

    // By a warp, with so many of them: whether nobody else of so many is to come.
    __device__ __forceinline__ bool is_last(unsigned long long* counter, unsigned with,
                                            unsigned members) const {
        unsigned before = 0;
        if (threadIdx.x % 32 == 0) {
            atomicMax(counter, static_cast<unsigned long long>(tag) << 32);  // of earlier launches, if so far
            before = static_cast<unsigned>(atomicAdd(counter, static_cast<unsigned long long>(with)));
        }
        return shuffle(before, 0) + with == members;
    }
    __device__ __forceinline__ static int children(std::uint64_t all, std::uint64_t parent, unsigned most) {
        const std::uint64_t left = all - parent * most;
        return left < most ? int(left) : int(most);
    }

    // `writes`: of lanes for the same sequence one does.
    __device__ __forceinline__ void publish_tile(std::uint64_t sequence, std::uint64_t tile, const Acc& value,
                                                 bool writes) const {
        if (writes) tiles.publish(tile * sequences + sequence, value, tag);
    }
    // By a warp that has published so many tiles of one super, from tile `tile` on: folds what is complete by
    // that, and stores the results if all is. `value` means nothing but a value of the sequence's.
    template <class Shape, class Fold>
    __device__ __forceinline__ void finish(const Shape& shape, const Fold& fold, std::uint64_t unit,
                                           std::uint64_t sequence, std::uint64_t tile, unsigned count,
                                           const Acc& value, bool writes) const {
        const std::uint64_t super = tile / 32;
        const int members = children(tile_count, super, 32);
        if (!is_last(of_supers + counter_words(sequences) * (super * units + unit), count, unsigned(members)))
            return;
        const Acc total = fold(shape.scan.combine(false), tiles, super * 32 * sequences + sequence, sequences,
                               members, tag, false, value);
        finish_super(shape, fold, unit, sequence, super, total, writes);
    }
    // The same by one that has the value of a super.
    template <class Shape, class Fold>
    __device__ __forceinline__ void finish_super(const Shape& shape, const Fold& fold, std::uint64_t unit,
                                                 std::uint64_t sequence, std::uint64_t super, Acc value,
                                                 bool writes) const {
        const auto& scan = shape.scan;
        const auto combine = scan.combine(false);
        const auto publish = [&](const published<Acc>& level, std::uint64_t k) {
            if (writes) level.publish(k * sequences + sequence, value, tag);
        };
        const auto fold_from = [&](const published<Acc>& level, std::uint64_t k, int count, bool present) {
            value = fold(combine, level, k * sequences + sequence, sequences, count, tag, present, value);
        };
        const std::uint64_t super_count = supers_of(tile_count), groups = groups_of(super_count);
        if (super_count == 1) {
            if (writes) store_first_reduced(shape, sequence, value);
            return;
        }
        publish(supers, super);
#pragma unroll 1
        for (std::uint64_t group = super / group_size;; ++group) {
            const bool follows = group > 0;
            const int own = children(super_count, group, group_size);
            if (!is_last(of_groups + counter_words(sequences) * (group * units + unit), 1,
                         unsigned(own) + follows))
                return;
            if (follows)
                fold_from(prefixes, group - 1, 1, false);
            else if (scan.has_initial)
                value = scan.initial_value();
            fold_from(supers, group * group_size, own, follows || scan.has_initial);
            if (group + 1 == groups) {
                if (writes) store_reduced(shape, sequence, value);
                return;
            }
            publish(prefixes, group);
        }
    }
};

// The tag of a launch whose blocks take no tickets, in all threads of one that has something to do; all of
// these end with end_launch().
__device__ __forceinline__ std::uint32_t begin_launch(const launch_state& state, std::uint32_t& shared) {
    if (threadIdx.x == 0) shared = static_cast<std::uint32_t>(state.ticket >> 32) + 1;
    __syncthreads();
    return shared;
}
// `blocks`: as many as have something to do.
__device__ __forceinline__ void end_launch(launch_state& state, std::uint32_t tag, unsigned blocks,
                                           unsigned long long* tagged, std::uint64_t words) {
    __syncthreads();
    if (threadIdx.x >= 32) return;
    if (tag == last_tag) return clear_tags(state, tagged, words, blocks);
    if (threadIdx.x != 0 || atomicAdd(&state.finished_blocks, 1u) + 1 != blocks) return;
    state.finished_blocks = 0;
    prepare_next_launch(state, tag);
}

}  // namespace detail

}  // namespace upsweep::cuda

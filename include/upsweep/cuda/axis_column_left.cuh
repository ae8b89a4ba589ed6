// What stands to the left of a warp's unit in a scan by columns (axis_columns.cuh): rows of its tile, tiles
// of its super, and supers, folded as their totals are published.
#pragma once

#include <cstdint>

#include "upsweep/cuda/combine.cuh"
#include "upsweep/cuda/tile_state.cuh"

namespace upsweep::cuda::detail {

// Values of one level that a lane's column wants, and the fold of those that it has.
template <class Acc>
struct column_level {
    published<Acc> values;  // from the first one on
    int count;              // so many are wanted,
    int done;               // and so many folded
    Acc fold;
    bool has;  // the fold has a value
};

// Lanes read for each other: of a warp's columns, those of the first ones the first value of each, the next
// the second, and so on. By all lanes, with the same counts.
template <class Acc, class Op>
struct column_reader {
    combiner<Acc, Op> combine;
    std::uint64_t apart;  // from a value to the next of the same column
    std::uint32_t tag;
    int width;   // columns of a warp
    int across;  // values read at once by all lanes
    int reader, column;
    unsigned reading;  // lanes that do

    __device__ __forceinline__ column_reader(const combiner<Acc, Op>& its_combine, std::uint64_t columns,
                                             std::uint32_t its_tag, int its_width, int lane)
        : combine(its_combine),
          apart(columns),
          tag(its_tag),
          width(its_width),
          across(32 / width),
          reader(lane / width),
          column(lane - reader * width),
          reading(0xffffffffu >> (32 - across * width)) {}

    // So many loads of a lane at once.
    static constexpr int loads = 8 / words_for<sizeof(Acc)>;
    using pending = typename published<Acc>::template pending<1>;

    __device__ __forceinline__ void start(const column_level<Acc>& level, pending (&got)[loads]) const {
        const int left = reader < across ? level.count - level.done - reader : 0;  // this lane's and behind
        std::uint64_t next = std::uint64_t(level.done + reader) * apart;
#pragma unroll
        for (int k = 0; k < loads; ++k, next += std::uint64_t(across) * apart)
            level.values.start_reading_if(k * across < left, next, got[k]);
    }
    // Folds what was there, up to the first value that was not; whether there is such a one.
    __device__ __forceinline__ bool take(column_level<Acc>& level, const pending (&got)[loads]) const {
        if (across > 2) return take_one_by_one(level, got);
        // The first load that lacks a value, and the lanes that do.
        int first = loads;
        unsigned missing = 0;
#pragma unroll
        for (int k = loads - 1; k >= 0; --k) {
            const unsigned lacking = __ballot_sync(0xffffffffu, !got[k].complete(tag)) & reading;
            if (lacking != 0) {
                first = k;
                missing = lacking;
            }
        }
        const int ready =
            first * across + (across == 2 && missing >> width != 0 && missing << (32 - width) == 0);
        // Shuffles do not wait for each other, nor is there a branch around each.
        if (across == 1) {
#pragma unroll
            for (int k = 0; k < loads; ++k) append(level, k < ready, shuffle(got[k].value(), column));
        } else {
#pragma unroll
            for (int k = 0; k < loads; ++k) {
                const Acc own = got[k].value();
                append(level, 2 * k < ready, shuffle(own, column));
                append(level, 2 * k + 1 < ready, shuffle(own, width + column));
            }
        }
        level.done += ready;
        return missing != 0 && level.done < level.count;
    }
    // All that is left.
    __device__ __forceinline__ void finish(column_level<Acc>& level) const {
#pragma unroll 1
        while (level.done < level.count) {
            pending got[loads];
            start(level, got);
            if (take(level, got)) pause_polling();
        }
    }

  private:
    __device__ __forceinline__ void append(column_level<Acc>& level, bool wanted, const Acc& value) const {
        if (wanted) {
            level.fold = combine.join(level.has, level.fold, value);
            level.has = true;
        }
    }
    // The same of more values in a load than are worth unrolled code.
    __device__ __forceinline__ bool take_one_by_one(column_level<Acc>& level,
                                                    const pending (&got)[loads]) const {
        const unsigned columns = 0xffffffffu >> (32 - width);
#pragma unroll
        for (int k = 0; k < loads; ++k) {
            const unsigned there = __ballot_sync(0xffffffffu, got[k].complete(tag));
            const Acc own = got[k].value();
#pragma unroll 1
            for (int i = 0; i < across; ++i) {
                if ((~there & columns << (i * width)) != 0) return level.done < level.count;
                append(level, true, shuffle(own, i * width + column));
                ++level.done;
            }
        }
        return false;
    }
};

}  // namespace upsweep::cuda::detail

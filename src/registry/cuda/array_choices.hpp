// Compaction, partition, runs, repeats, histograms, bins and sorting of arrays in device memory, of run-time
// types.
// All arrays are sequences, one element after the other; everything is in the order of the executor's stream.
#pragma once

#include <cstddef>
#include <cstdint>

#include "registry/binner.hpp"
#include "registry/chooser.hpp"
#include "registry/dtype.hpp"
#include "registry/repeater.hpp"
#include "registry/scanner.hpp"
#include "upsweep/cuda/executor.hpp"

namespace upsweep::registry::gpu {

// flags[i] = whether element i satisfies the condition, 1 or 0.
void mark(cuda::executor& ex, dtype type, const condition_value& condition, const void* in,
          std::uint8_t* flags, std::size_t n);

// The elements with a flag that is not zero, packed; or, if not `packed`, the others behind them. `in` null:
// their indices, and `out` is of int64. *count, in device memory, receives how many have such a flag.
struct choice {
    const std::uint8_t* flags;
    const void* in;
    void* out;
    std::size_t n;
    std::size_t element_bytes;  // 1, 2, 4, 8 or 16, to which in and out are aligned
    bool packed;
};
void choose(cuda::executor& ex, const choice& call, std::uint64_t* count);

// The same of elements that satisfy a condition.
struct compared_choice {
    dtype type;
    condition_value condition;
    const void* in;
    void* out;  // of that type, or of int64 for indices
    std::size_t n;
    bool packed;
    bool indices;
};
void choose_compared(cuda::executor& ex, const compared_choice& call, std::uint64_t* count);

// Of each segment of n > 0 elements, which begins where a flag is not zero, the last one.
void choose_last(cuda::executor& ex, const std::uint8_t* heads, const void* in, void* out, std::size_t n,
                 std::size_t element_bytes, std::uint64_t* count);

// flags[i] = 1 where element i differs from the one before, and for i = 0; else 0.
void mark_runs(cuda::executor& ex, dtype type, const void* in, std::uint8_t* flags, std::size_t n);
// flags[i] = 1 where element i begins one of the segments that `count` >= 1 offsets describe, else 0, or, if
// some are bad, anything. *bad, in device memory, receives 1 if some are not what they should be, else 0.
// What is null is not wanted.
void mark_offsets(cuda::executor& ex, const std::int64_t* offsets, std::size_t count, std::uint8_t* flags,
                  std::size_t n, std::uint64_t* bad);
// out[k] = the last element of segment k of n elements; `empty`, an element too, if it has none. By offsets
// that are not good, anything.
void gather_last(cuda::executor& ex, const std::int64_t* offsets, std::size_t count, const void* in,
                 std::size_t n, const value& empty, void* out);
// As registry::encode_runs, of `lengths` null those of unique; *count, in device memory, receives how many
// runs there are.
void encode_runs(cuda::executor& ex, dtype type, const void* in, std::size_t n, void* out,
                 std::int64_t* lengths, std::uint64_t* count);
// As registry::number_runs.
void number_runs(cuda::executor& ex, dtype type, const void* in, std::size_t n, std::int64_t* out);

// Elements repeated as often as int32 or int64 say, one an element or offsets, or so many times each; `room`
// of the results at most. *count, in device memory, receives how many there are.
struct words_to_repeat {
    const void* in;
    void* out;
    std::size_t n;
    std::size_t room;
    std::size_t element_bytes;  // 1, 2, 4, 8 or 16, to which in and out are aligned
};
void repeat_words(cuda::executor& ex, const repeat_counts& counts, const words_to_repeat& call,
                  std::uint64_t* count);
void repeat_words(cuda::executor& ex, std::uint64_t times, const words_to_repeat& call, std::uint64_t* count);
// What counts, of which there are some, say before elements are repeated.
struct repeat_sum {
    std::int64_t first;    // of offsets; otherwise 0
    std::int64_t least;    // count; of offsets that descend somewhere one that is negative
    std::int64_t results;  // the sum of the counts, 2^63 - 1 if it is more, or the last offset
};
void sum_repeats(cuda::executor& ex, const repeat_counts& counts, repeat_sum* found);
// As registry::repeat_indices.
void repeat_indices(cuda::executor& ex, const repeat_counts& counts, std::int64_t* out, std::size_t room,
                    std::uint64_t* count);

// Copies numbers of 4 or 8 bytes from host memory as arguments of kernels, `passed_bytes` at a time: the call
// returns when it has read them, and a graph that is being captured has them too.
inline constexpr std::size_t passed_bytes = 3072;
void store_numbers(cuda::executor& ex, const void* from, std::size_t bytes, void* out);

// Bins are those of registry/binner.hpp. counts[b] = how many elements are in bin b.
void count_bins(cuda::executor& ex, dtype type, const bin_limits& limits, const void* in, std::size_t n,
                std::uint64_t* counts);
// The elements of bin 0, then those of bin 1 and so on, or (`indices`) their indices, of int64; and where
// each begins: one offset more than bins.
void extract_bins(cuda::executor& ex, dtype type, const bin_limits& limits, const void* in, std::size_t n,
                  void* out, bool indices, std::uint64_t* offsets);

// totals[b] = the sum of values[i], in order, of the elements in[i] of bin b, of the request's types; the
// operator is a sum.
void sum_bins(cuda::executor& ex, dtype type, const bin_limits& limits, const void* in, std::size_t n,
              const scan_request& request, const void* values, void* totals);

// extremes_of(n) numbers, of binned_as(type), among which are the smallest and the largest element. NaNs are
// left out unless there is nothing else. n > 0.
[[nodiscard]] std::size_t extremes_of(std::size_t n);
void find_extremes(cuda::executor& ex, dtype type, const void* in, std::size_t n, void* found);

// Sorts of rows * length elements, each row by itself, stable; `out` is not `in`. Throws upsweep::error
// (invalid_argument) for complex elements.
struct rows_to_sort {
    dtype type;
    const void* in;
    void* out;  // of `type`, or of int64 for indices within the row
    std::size_t rows;
    std::size_t length;
    bool descending;
    bool indices;
};
void sort_rows(cuda::executor& ex, const rows_to_sort& call);

// The first k of each of so many rows of `length` elements in that order, descending unless `smallest`, and
// where in the row they are; both overlap nothing else.
struct rows_to_choose {
    dtype type;
    const void* in;
    void* values;
    std::int64_t* indices;
    std::size_t rows;
    std::size_t length;
    std::size_t k;
    bool smallest;
};
void top_k_rows(cuda::executor& ex, const rows_to_choose& call);

// Sorts of segments of n elements, of which one starts where a byte of `heads` is not zero, and at element
// 0. `out` may be `in`, but for indices, and overlaps nothing else.
struct segments_to_sort {
    dtype type;
    const void* in;
    const std::uint8_t* heads;
    void* out;  // of `type`, or of int64 for indices within the whole
    std::size_t n;
    bool descending;
    bool indices;
};
void sort_segments(cuda::executor& ex, const segments_to_sort& call);

}  // namespace upsweep::registry::gpu

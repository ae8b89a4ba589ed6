// The CPU engine for segmented scans with vector kernels: sums of numbers, and products of floating-point
// ones.
//
// As engine.hpp, but what stands to the left of a head is forgotten. Integers are summed modulo 2^32 or 2^64
// in unsigned lanes, whatever their own width. Complexity: O(n); on several threads the input is read twice,
// the second time from the cache. Memory: less than 50 KiB on the stack of every thread.
#pragma once

#include <cstdint>
#include <optional>

#include "upsweep/core/tree.hpp"
#include "upsweep/cpu/engine.hpp"
#include "upsweep/cpu/executor.hpp"
#include "upsweep/cpu/heads.hpp"
#include "upsweep/cpu/kernels.hpp"
#include "upsweep/cpu/staging.hpp"

namespace upsweep::cpu {

template <class Acc>
struct segment_options {
    std::optional<Acc> initial{};  // combined with the first element of every segment
    std::optional<Acc> before{};   // what an exclusive scan stores there
};

// Scans shape.size elements from `carry` on (a tile boundary), which ends as the state after the last
// complete tile. Returns the value after the last element.
template <class Acc, class Op>
Acc run_segmented_scan(executor& ex, const source<Acc>& in, const sink<Acc>& out, const scan_shape& shape,
                       const head_marks& heads, const segment_options<Acc>& options,
                       core::tree_carry<Acc>& carry);

// What whoever scans a piece of a longer sequence (mpi/segmented_piece.hpp) asks of a part of it: `count`
// elements from the first-th of shape.size on, whole rows of one tile, or of any number of tiles under an
// exact operator. When scanned, the last row may be part-filled.
template <class Acc>
struct segment_fold {
    Acc value;      // of all elements, or of what follows the last head
    bool has_head;  // whether there is one
};
template <class Acc>
struct segment_part {
    const source<Acc>& in;
    const sink<Acc>& out;  // when folded, of the same stride as `in`
    const scan_shape& shape;
    const head_marks& heads;
    const segment_options<Acc>& options;
    std::size_t first, count;
    const std::uint64_t* wanted = nullptr;  // scan_pass::wanted, from `first` on
    bool asks = false;                      // when scanned, for as many elements behind it, which memory has
};
template <class Acc, class Op>
segment_fold<Acc> fold_segments(const executor& ex, const segment_part<Acc>& part);
// From what stands to the left of it. Returns the fold of its tile's rows up to its end.
template <class Acc>
struct segment_left {
    std::optional<Acc> supers, tiles, rows;
};
template <class Acc, class Op>
segment_fold<Acc> scan_segments(const executor& ex, const segment_part<Acc>& part,
                                const segment_left<Acc>& left);

#define UPSWEEP_KERNEL_TYPES_SEGMENTED(apply) \
    UPSWEEP_KERNEL_TYPES_INTEGER(apply, plus) \
    UPSWEEP_KERNEL_TYPES_FLOAT(apply, plus) UPSWEEP_KERNEL_TYPES_FLOAT(apply, multiplies)
#define UPSWEEP_DECLARE_SEGMENTED(T, Op)                                                           \
    extern template T run_segmented_scan<T, Op>(executor&, const source<T>&, const sink<T>&,       \
                                                const scan_shape&, const head_marks&,              \
                                                const segment_options<T>&, core::tree_carry<T>&);  \
    extern template segment_fold<T> fold_segments<T, Op>(const executor&, const segment_part<T>&); \
    extern template segment_fold<T> scan_segments<T, Op>(const executor&, const segment_part<T>&,  \
                                                         const segment_left<T>&);
UPSWEEP_KERNEL_TYPES_SEGMENTED(UPSWEEP_DECLARE_SEGMENTED)
#undef UPSWEEP_DECLARE_SEGMENTED

}  // namespace upsweep::cpu

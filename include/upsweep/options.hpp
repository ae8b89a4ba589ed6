// The options of scans, recurrences and totals. All have defaults, so that a call names only what it changes:
//     inclusive_scan(executor, in, out, plus{}, {.initial = 10.0f, .reverse = true});
#pragma once

#include <cstdint>
#include <optional>

#include "upsweep/core/piece.hpp"
#include "upsweep/core/tree.hpp"

namespace upsweep {

// Where a scan that is given block by block stands. Start with a default-constructed one, pass it with every
// block in order (with .reverse: the last block first). Blocks may have any size; the bits are those of one
// scan over all. Of those that do not begin and end at multiples of scan_block_multiple elements of the
// whole, up to so many at either end are read twice. `initial` counts on the first block that has one, if no
// elements came before.
template <class Acc>
class scan_carry {
  public:
    // Elements scanned so far.
    [[nodiscard]] std::uint64_t element_count() const { return place.element_count; }
    // The fold of everything so far; absent before the first element when there is no initial value.
    [[nodiscard]] const std::optional<Acc>& total() const { return total_; }

    // For engines: the tree behind the last element.
    core::tree_place<Acc> place{};
    std::optional<Acc> total_{};
};

// Blocks of scan_carry that begin and end at multiples of so many elements are read once.
inline constexpr std::size_t scan_block_multiple = core::tile_size;

// The options of a call that scans one sequence.
template <class Acc>
struct scan_options {
    std::optional<Acc> initial{};      // folded in before the first element
    bool reverse = false;              // out[i] = x[i] (+) ... (+) x[n-1] instead of x[0] (+) ... (+) x[i]
    Acc* total = nullptr;              // receives initial (+) x[0] (+) ... (+) x[n-1]
    scan_carry<Acc>* carry = nullptr;  // continues an earlier block
};

// The options of a call that scans many sequences, along an axis or by segments: each starts from `initial`.
template <class Acc>
struct batch_options {
    std::optional<Acc> initial{};  // folded in before the first element of each
    bool reverse = false;          // from the last element of each to its first
};

// The options of a call that makes totals, of a sequence, along an axis or of segments.
template <class Acc>
struct reduce_options {
    std::optional<Acc> initial{};  // folded in before the first element; the total of no elements
};

// The options of linear_recurrence.
struct recurrence_options {
    bool reverse = false;  // x[i] = a[i] x[i+1] + b[i] with x[n] = x0 instead of a[i] x[i-1] + b[i]
};

}  // namespace upsweep

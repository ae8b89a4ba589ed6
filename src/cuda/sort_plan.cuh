// What a sort's kernels share in device memory: how often each digit occurs, which passes are needed, and
// between which arrays they move.
#pragma once

#include <cstdint>

#include "sort_tile.cuh"

namespace upsweep::cuda::detail {

inline constexpr unsigned sort_most_passes = 8;  // digits of a key of 64 bits

// The arrays that passes move between.
enum : unsigned { sort_in, sort_out, sort_other, sort_arrays_count };

// A pass for one digit. It is left out where all keys have the same.
struct sort_step {
    unsigned runs;  // 0: left out
    unsigned from;  // the arrays
    unsigned to;
    unsigned index;  // among the passes that run
    unsigned is_last;
};

// All zero before a sort but for `start` and `step`, which count_digits_kernel writes.
struct sort_state {
    unsigned long long count[sort_most_passes][sort_digits];
    // Where a digit's records begin: of the portion at hand, and of the next one.
    unsigned long long start[sort_most_passes][2][sort_digits];
    sort_step step[sort_most_passes];
    unsigned finished_blocks;
    unsigned has_equals;  // not 0: some keys may be equal and differ in their bits
};

// What has to hold for the passes that run.
struct sort_needs {
    unsigned passes;
    bool in_place;  // an array is its own result: an even number of passes
    bool moves;     // an array is not: a pass at least
};

// One thread, once all is counted of n records.
__device__ inline void plan_passes(sort_state& state, const sort_needs& needs, std::uint64_t n) {
    unsigned runs = 0, total = 0;
    for (unsigned pass = 0; pass < needs.passes; ++pass)
        if (state.step[pass].runs != 0) {
            runs |= 1u << pass;
            ++total;
        }
    // A pass whose keys all have one digit copies.
    const auto more = [&] {
        const unsigned pass = unsigned(__ffs(int(~runs))) - 1;
        runs |= 1u << pass;
        ++total;
    };
    if (n != 0 && total == 0 && needs.moves) more();
    if (needs.in_place && total % 2 != 0) more();
    unsigned index = 0, from = sort_in;
    for (unsigned pass = 0; pass < needs.passes; ++pass) {
        sort_step& step = state.step[pass];
        step.runs = runs >> pass & 1;
        if (step.runs == 0) continue;
        step.from = from;
        step.to = (total - 1 - index) % 2 == 0 ? sort_out : sort_other;
        step.index = index;
        step.is_last = index + 1 == total;
        from = step.to;
        ++index;
    }
}

}  // namespace upsweep::cuda::detail

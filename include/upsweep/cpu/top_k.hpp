// The CPU engine for the first k of n keys in an order.
//
// A sample tells a bound that the first k are probably within, and few others. Vectors look for keys within
// it, at the speed of reading; each thread notes where those of its stretches are. Whenever a stretch has
// noted 2 k and some more, all but the first k of them are dropped, and what goes behind the last of those is
// no longer looked for, there or anywhere. So no order of the input costs more than O(n) and what it takes to
// sort the rest. If there were fewer than k, all is done again with a wider bound. A few keys are kept in
// order instead, and each that is found is put where it goes, if that is in front of the last.
//
// Sources: Floyd and Rivest, "Expected time bounds for selection", 1975 (a bound by a sample); Hoare,
// "Algorithm 65: find", 1961 (which std::nth_element drops keys by); cpu/sort.hpp has those of sorting.
#pragma once

#include <cstddef>

#include "upsweep/core/key_order.hpp"
#include "upsweep/cpu/executor.hpp"
#include "upsweep/cpu/sort.hpp"

namespace upsweep::cpu {

// So many are kept in order while they are looked for, and need no sort.
inline constexpr std::size_t few_of_top = 16;

// out = the first k <= n of the keys of `in` in order, of order.bytes each; out does not overlap in.
// places = where they are. Throws upsweep::error if there is no room for scratch.
void run_top_k(executor& ex, const key_order& order, const void* in, std::size_t n, void* out, std::size_t k);
void run_top_k_places(executor& ex, const key_order& order, const void* in, std::size_t n,
                      std::size_t* places, std::size_t k);

}  // namespace upsweep::cpu

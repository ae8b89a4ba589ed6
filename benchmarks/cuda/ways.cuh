// Sums at 2^28 by the ways around the main path.
#pragma once

#include "bench.cuh"

namespace bench {

template <class T>
void ways_around(const char* type) {
    constexpr std::size_t n = std::size_t(1) << 28;
    const upsweep::plus plus;
    const ::cuda::std::plus<> peer;
    cell<T, T, T, way::exclusive>("plus", type, n, plus, peer);
    cell<T, T, T, way::reverse>("plus", type, n, plus, peer);
    cell<T, T, T>("plus", type, n, plus, peer, {.name = "in_place", .in_place = true});
    cell<T, T, T>("plus", type, n - 5, plus, peer, {.name = "odd_length"});
    cell<T, T, T>("plus", type, n - 5, plus, peer, {.name = "misaligned", .offset = 1});
}

}  // namespace bench

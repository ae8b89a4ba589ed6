// std::inclusive_scan and std::exclusive_scan of the standard library in use (libstdc++ over oneTBB).
// libstdc++ 12 takes T{} for the identity of its parallel scans, so its maxima are right for non-negative
// input only, which the benchmarks use.
#include "fold.hpp"

#include <execution>
#include <numeric>

namespace bench {
namespace {

template <class Fold, bool Exclusive>
struct sequential {
    using T = typename Fold::type;
    static void run(const T* in, T* out, std::size_t n) {
        const typename Fold::function fold;
        if constexpr (Exclusive)
            std::exclusive_scan(in, in + n, out, Fold::identity, fold);
        else
            std::inclusive_scan(in, in + n, out, fold);
    }
};

template <class Fold, bool Exclusive>
struct parallel {
    using T = typename Fold::type;
    static void run(const T* in, T* out, std::size_t n) {
        const typename Fold::function fold;
        if constexpr (Exclusive)
            std::exclusive_scan(std::execution::par_unseq, in, in + n, out, Fold::identity, fold);
        else
            std::inclusive_scan(std::execution::par_unseq, in, in + n, out, fold);
    }
};

}  // namespace

template <class T>
std::vector<peer<T>> standard_peers(scan_work work) {
    return {{"std", false, true, true, as_peer<T, sequential>::of(work)},
            {"std par_unseq", true, true, false, as_peer<T, parallel>::of(work)}};
}

}  // namespace bench

BENCH_INSTANTIATE_PEERS(standard_peers)

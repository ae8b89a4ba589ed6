// OpenMP 5 scans as the directive gives them: `parallel for` and `simd`, each with reduction(inscan).
#include "fold.hpp"

#if defined(__GNUC__) && !defined(__clang__)
// GCC 12 warns about the temporaries that it makes for inscan itself.
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

namespace bench {
namespace {

// A pragma takes no template argument, so each directive is written out for every operator and mode.
// Clang 14 crashes on `parallel for` with inscan in a template; that peer is measured in builds by GCC.
#if !defined(__clang__)
template <class Fold, bool Exclusive>
struct parallel_inscan {
    using T = typename Fold::type;
    static void run(const T* in, T* out, std::size_t n) {
        T running = Fold::identity;
        if constexpr (Fold::is_maximum) {
#pragma omp parallel for reduction(inscan, max : running)
            for (std::size_t i = 0; i < n; ++i) {
                running = running < in[i] ? in[i] : running;
#pragma omp scan inclusive(running)
                out[i] = running;
            }
        } else if constexpr (Exclusive) {
#pragma omp parallel for reduction(inscan, + : running)
            for (std::size_t i = 0; i < n; ++i) {
                out[i] = running;
#pragma omp scan exclusive(running)
                running += in[i];
            }
        } else {
#pragma omp parallel for reduction(inscan, + : running)
            for (std::size_t i = 0; i < n; ++i) {
                running += in[i];
#pragma omp scan inclusive(running)
                out[i] = running;
            }
        }
    }
};
#endif

template <class Fold, bool Exclusive>
struct simd_inscan {
    using T = typename Fold::type;
    static void run(const T* in, T* out, std::size_t n) {
        T running = Fold::identity;
        if constexpr (Fold::is_maximum) {
#pragma omp simd reduction(inscan, max : running)
            for (std::size_t i = 0; i < n; ++i) {
                running = running < in[i] ? in[i] : running;
#pragma omp scan inclusive(running)
                out[i] = running;
            }
        } else if constexpr (Exclusive) {
#pragma omp simd reduction(inscan, + : running)
            for (std::size_t i = 0; i < n; ++i) {
                out[i] = running;
#pragma omp scan exclusive(running)
                running += in[i];
            }
        } else {
#pragma omp simd reduction(inscan, + : running)
            for (std::size_t i = 0; i < n; ++i) {
                running += in[i];
#pragma omp scan inclusive(running)
                out[i] = running;
            }
        }
    }
};

}  // namespace

template <class T>
std::vector<peer<T>> openmp_peers(scan_work work) {
    std::vector<peer<T>> result = {
        {"OpenMP simd inscan", false, true, false, as_peer<T, simd_inscan>::of(work)}};
#if !defined(__clang__)
    result.push_back({"OpenMP parallel inscan", true, true, false, as_peer<T, parallel_inscan>::of(work)});
#endif
    return result;
}

}  // namespace bench

BENCH_INSTANTIATE_PEERS(openmp_peers)

// The plain loop, as anyone writes it first, and a hand-vectorised one on a single thread.
#include "fold.hpp"
#include "simd_body.hpp"

namespace bench {
namespace {

template <class Fold, bool Exclusive>
struct plain_loop {
    using T = typename Fold::type;
    static void run(const T* in, T* out, std::size_t n) {
        const typename Fold::function fold;
        T running = Fold::identity;
        for (std::size_t i = 0; i < n; ++i) {
            const T next = fold(running, in[i]);
            out[i] = Exclusive ? running : next;
            running = next;
        }
    }
};

template <class Fold, bool Exclusive>
struct simd_loop {
    using T = typename Fold::type;
    static void run(const T* in, T* out, std::size_t n) {
        scan_block<simd_body<Fold>, Fold, Exclusive>(in, out, n, Fold::identity);
    }
};

}  // namespace

template <class T>
std::vector<peer<T>> loop_peers(scan_work work) {
    return {
        {"plain loop", false, true, true, as_peer<T, plain_loop>::of(work)},
        {"hand SIMD, 1 thread", false, false, work != scan_work::exclusive, as_peer<T, simd_loop>::of(work)}};
}

}  // namespace bench

BENCH_INSTANTIATE_PEERS(loop_peers)

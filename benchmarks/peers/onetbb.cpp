// oneTBB's parallel_scan with vectorised bodies: reduce in the first pass, scan in the second.
#include "simd_body.hpp"

#include <tbb/blocked_range.h>
#include <tbb/parallel_scan.h>

namespace bench {
namespace {

// Bytes in a block that is not split further: a quarter of a small second-level cache.
constexpr std::size_t grain_bytes = 64 * 1024;

template <class Body, class Fold, bool Exclusive>
class block_scan {
  public:
    using T = typename Fold::type;
    block_scan(const T* in, T* out) : in_(in), out_(out) {}
    block_scan(block_scan& other, tbb::split) : in_(other.in_), out_(other.out_) {}

    template <class Tag>
    void operator()(const tbb::blocked_range<std::size_t>& range, Tag) {
        const T* in = in_ + range.begin();
        if (Tag::is_final_scan())
            sum_ = scan_block<Body, Fold, Exclusive>(in, out_ + range.begin(), range.size(), sum_);
        else
            sum_ = typename Fold::function{}(sum_, reduce_block<Fold>(in, range.size()));
    }
    void reverse_join(block_scan& before) { sum_ = typename Fold::function{}(before.sum_, sum_); }
    void assign(block_scan& other) { sum_ = other.sum_; }

  private:
    const T* in_;
    T* out_;
    T sum_ = Fold::identity;
};

template <class Body, class Fold, bool Exclusive>
void scan_in_parallel(const typename Fold::type* in, typename Fold::type* out, std::size_t n) {
    block_scan<Body, Fold, Exclusive> scan(in, out);
    const tbb::blocked_range<std::size_t> range(0, n, grain_bytes / sizeof(*in));
    tbb::parallel_scan(range, scan, tbb::auto_partitioner());
}

template <class Fold, bool Exclusive>
struct with_inscan_body {
    static void run(const typename Fold::type* in, typename Fold::type* out, std::size_t n) {
        scan_in_parallel<inscan_body<Fold>, Fold, Exclusive>(in, out, n);
    }
};
template <class Fold, bool Exclusive>
struct with_simd_body {
    static void run(const typename Fold::type* in, typename Fold::type* out, std::size_t n) {
        scan_in_parallel<simd_body<Fold>, Fold, Exclusive>(in, out, n);
    }
};

}  // namespace

template <class T>
std::vector<peer<T>> onetbb_peers(scan_work work) {
    const bool in_place = work != scan_work::exclusive;
    return {{"oneTBB, omp simd body", true, true, in_place, as_peer<T, with_inscan_body>::of(work)},
            {"oneTBB, hand SIMD body", true, true, in_place, as_peer<T, with_simd_body>::of(work)}};
}

}  // namespace bench

BENCH_INSTANTIATE_PEERS(onetbb_peers)

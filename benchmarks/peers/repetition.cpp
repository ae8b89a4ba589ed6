#include "repetition.hpp"

#include <algorithm>
#include <execution>
#include <functional>
#include <numeric>

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

namespace bench {

template <class T>
std::size_t repeat_loop(const T* in, const std::int32_t* counts, T* out, std::size_t n) {
    T* to = out;
    for (std::size_t i = 0; i < n; ++i) to = std::fill_n(to, counts[i], in[i]);
    return static_cast<std::size_t>(to - out);
}
template <class T>
std::size_t repeat_parallel(const T* in, const std::int32_t* counts, std::int64_t* offsets, T* out,
                            std::size_t n) {
    if (n == 0) return 0;
    std::exclusive_scan(std::execution::par_unseq, counts, counts + n, offsets, std::int64_t{0});
    tbb::parallel_for(tbb::blocked_range<std::size_t>(0, n, 1024), [=](const auto& range) {
        for (std::size_t i = range.begin(); i != range.end(); ++i)
            std::fill_n(out + offsets[i], counts[i], in[i]);
    });
    return static_cast<std::size_t>(offsets[n - 1] + counts[n - 1]);
}
std::size_t repeat_indices_loop(const std::int32_t* counts, std::int32_t* out, std::size_t n) {
    std::int32_t* to = out;
    for (std::size_t i = 0; i < n; ++i) to = std::fill_n(to, counts[i], static_cast<std::int32_t>(i));
    return static_cast<std::size_t>(to - out);
}

#define UPSWEEP_REPETITION_PEERS(T)                                                      \
    template std::size_t repeat_loop<T>(const T*, const std::int32_t*, T*, std::size_t); \
    template std::size_t repeat_parallel<T>(const T*, const std::int32_t*, std::int64_t*, T*, std::size_t);
UPSWEEP_REPETITION_PEERS(std::uint8_t)
UPSWEEP_REPETITION_PEERS(float)
UPSWEEP_REPETITION_PEERS(double)

}  // namespace bench

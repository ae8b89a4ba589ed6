#include "sorting.hpp"

#include <algorithm>
#include <execution>
#include <type_traits>

#include <tbb/parallel_sort.h>

#if defined(BENCH_HAS_VQSORT)
#include <hwy/contrib/sort/vqsort.h>
#endif

namespace bench {

template <class T>
std::vector<sorting_peer<T>> sorting_peers() {
    std::vector<sorting_peer<T>> all{
        {"std::sort", false, false, [](T* data, std::size_t n) { std::sort(data, data + n); }},
        {"std::stable_sort", false, true, [](T* data, std::size_t n) { std::stable_sort(data, data + n); }},
        {"std::sort, par_unseq", true, false,
         [](T* data, std::size_t n) { std::sort(std::execution::par_unseq, data, data + n); }},
        {"oneTBB, parallel_sort", true, false,
         [](T* data, std::size_t n) { tbb::parallel_sort(data, data + n); }},
    };
#if defined(BENCH_HAS_VQSORT)
    if constexpr (std::is_arithmetic_v<T>) {
        all.push_back({"Highway, VQSort", false, false, [](T* data, std::size_t n) {
                           const hwy::Sorter sorter;
                           sorter(data, n, hwy::SortAscending());
                       }});
    }
#endif
    return all;
}

template std::vector<sorting_peer<std::uint32_t>> sorting_peers();
template std::vector<sorting_peer<std::int64_t>> sorting_peers();
template std::vector<sorting_peer<float>> sorting_peers();
template std::vector<sorting_peer<double>> sorting_peers();
template std::vector<sorting_peer<keyed_value>> sorting_peers();

std::vector<segment_sorting_peer> segment_sorting_peers() {
    return {
        {"std::sort, a loop", false,
         [](float* data, const std::uint32_t* offsets, std::size_t count) {
             for (std::size_t k = 0; k < count; ++k) std::sort(data + offsets[k], data + offsets[k + 1]);
         }},
        {"std::stable_sort, a loop", false,
         [](float* data, const std::uint32_t* offsets, std::size_t count) {
             for (std::size_t k = 0; k < count; ++k)
                 std::stable_sort(data + offsets[k], data + offsets[k + 1]);
         }},
        {"std::sort, par_unseq", true,
         [](float* data, const std::uint32_t* offsets, std::size_t count) {
             std::for_each(
                 std::execution::par_unseq, offsets, offsets + count,
                 [=](const std::uint32_t& offset) { std::sort(data + offset, data + (&offset)[1]); });
         }},
    };
}

}  // namespace bench

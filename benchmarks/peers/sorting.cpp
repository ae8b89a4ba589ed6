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

}  // namespace bench

#include "selection.hpp"

#include <algorithm>
#include <execution>
#include <functional>

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

namespace bench {

const selection_peer selections[selection_peers] = {
    {"std::partial_sort_copy",
     [](const float* in, float* out, float*, std::size_t n, std::size_t k) {
         std::partial_sort_copy(in, in + n, out, out + k, std::greater<>());
     }},
    {"std::nth_element",
     [](const float* in, float* out, float* room, std::size_t n, std::size_t k) {
         std::copy_n(in, n, room);
         std::nth_element(room, room + (k - 1), room + n, std::greater<>());
         std::sort(room, room + k, std::greater<>());
         std::copy_n(room, k, out);
     }},
    {"std::sort par_unseq",
     [](const float* in, float* out, float* room, std::size_t n, std::size_t k) {
         std::copy_n(in, n, room);
         std::sort(std::execution::par_unseq, room, room + n, std::greater<>());
         std::copy_n(room, k, out);
     }},
};

void select_of_rows(const float* in, float* out, std::size_t rows, std::size_t n, std::size_t k) {
    tbb::parallel_for(tbb::blocked_range<std::size_t>(0, rows, 4096 / n + 1), [=](const auto& range) {
        for (std::size_t row = range.begin(); row != range.end(); ++row)
            std::partial_sort_copy(in + row * n, in + (row + 1) * n, out + row * k, out + (row + 1) * k,
                                   std::greater<>());
    });
}

}  // namespace bench

#include "totals.hpp"

#include <algorithm>
#include <execution>
#include <numeric>

#include <tbb/blocked_range.h>
#include <tbb/parallel_reduce.h>

#include "simd_body.hpp"

namespace bench {
namespace {

// As in onetbb.cpp.
constexpr std::size_t grain_bytes = 64 * 1024;

template <class Fold>
struct totals {
    using T = typename Fold::type;
    using function = typename Fold::function;

    static T loop(const T* in, std::size_t n) {
        T total = Fold::identity;
        for (std::size_t i = 0; i < n; ++i) total = function{}(total, in[i]);
        return total;
    }
    static T standard(const T* in, std::size_t n) {
        return std::reduce(in, in + n, Fold::identity, function{});
    }
    static T standard_parallel(const T* in, std::size_t n) {
        return std::reduce(std::execution::par_unseq, in, in + n, Fold::identity, function{});
    }
    static T onetbb(const T* in, std::size_t n) {
        return tbb::parallel_reduce(
            tbb::blocked_range<std::size_t>(0, n, grain_bytes / sizeof(T)), T{Fold::identity},
            [in](const tbb::blocked_range<std::size_t>& range, T total) {
                return function{}(total, reduce_block<Fold>(in + range.begin(), range.size()));
            },
            function{});
    }
    static T openmp_simd(const T* in, std::size_t n) { return reduce_block<Fold>(in, n); }
    static T openmp_parallel(const T* in, std::size_t n) {
        T total = Fold::identity;
        if constexpr (Fold::is_maximum) {
#pragma omp parallel for simd reduction(max : total)
            for (std::size_t i = 0; i < n; ++i) total = total < in[i] ? in[i] : total;
        } else {
#pragma omp parallel for simd reduction(+ : total)
            for (std::size_t i = 0; i < n; ++i) total += in[i];
        }
        return total;
    }
};

template <class T, class Fold, typename Fold::type (*total)(const typename Fold::type*, std::size_t)>
T run(const T* in, std::size_t n) {
    return static_cast<T>(total(reinterpret_cast<const typename Fold::type*>(in), n));
}

template <class T, class Fold>
std::vector<total_peer<T>> peers_of() {
    using all = totals<Fold>;
    return {{"plain loop", false, &run<T, Fold, &all::loop>},
            {"std::reduce", false, &run<T, Fold, &all::standard>},
            {"std::reduce par_unseq", true, &run<T, Fold, &all::standard_parallel>},
            {"oneTBB parallel_reduce", true, &run<T, Fold, &all::onetbb>},
            {"OpenMP simd", false, &run<T, Fold, &all::openmp_simd>},
            {"OpenMP parallel for simd", true, &run<T, Fold, &all::openmp_parallel>}};
}

void add_row(const float* row, float* out, std::size_t first, std::size_t last) {
#pragma omp simd
    for (std::size_t i = first; i < last; ++i) out[i] += row[i];
}

}  // namespace

template <class T>
std::vector<total_peer<T>> total_peers(total_work work) {
    return work == total_work::maximum ? peers_of<T, maximum_fold<T>>()
                                       : peers_of<T, sum_fold<typename wrapping<T>::type>>();
}
template std::vector<total_peer<std::int8_t>> total_peers(total_work);
template std::vector<total_peer<std::int32_t>> total_peers(total_work);
template std::vector<total_peer<float>> total_peers(total_work);
template std::vector<total_peer<double>> total_peers(total_work);

void axis_totals_loop(const float* in, float* out, matrix shape, int axis) {
    if (axis == 0) std::fill_n(out, shape.columns, 0.0f);
    for (std::size_t row = 0; row < shape.rows; ++row) {
        const float* from = in + row * shape.columns;
        if (axis == 0)
            add_row(from, out, 0, shape.columns);
        else
            out[row] = std::accumulate(from, from + shape.columns, 0.0f);
    }
}

void axis_totals_openmp(const float* in, float* out, matrix shape, int axis) {
    constexpr std::size_t many = 4096, block = 1024;  // columns; sums of a block stay in the nearest cache
    if (axis == 1) {
#pragma omp parallel for
        for (std::size_t row = 0; row < shape.rows; ++row)
            out[row] = reduce_block<sum_fold<float>>(in + row * shape.columns, shape.columns);
        return;
    }
    std::fill_n(out, shape.columns, 0.0f);
    if (shape.columns >= many) {
#pragma omp parallel for
        for (std::size_t first = 0; first < shape.columns; first += block) {
            for (std::size_t row = 0; row < shape.rows; ++row)
                add_row(in + row * shape.columns, out, first, std::min(shape.columns, first + block));
        }
    } else {
#pragma omp parallel for reduction(+ : out[:shape.columns])
        for (std::size_t row = 0; row < shape.rows; ++row)
            add_row(in + row * shape.columns, out, 0, shape.columns);
    }
}

}  // namespace bench

// First-order linear recurrences over many GPUs: x[i] = a[i] x[i-1] + b[i], where all ranks' a and b make up
// the coefficients, with an nccl::executor.
//
// x0 is that of the first rank in scan order that has elements; a may be a number, which serves the elements
// of its rank. The rest is as in cuda/recurrence.cuh and nccl/scan.cuh.
#pragma once

#include <optional>
#include <type_traits>

#include "upsweep/cuda/recurrence.cuh"
#include "upsweep/nccl/scan.cuh"

namespace upsweep {
namespace nccl {

struct recurrence_options {
    bool reverse = false;                    // x[i] = a[i] x[i+1] + b[i] with x[n] = x0
    const distribution* elements = nullptr;  // if given, the ranks' counts are not asked for
};

}  // namespace nccl

template <class Acc = deduced, class A, class B, class Out,
          class T = cuda::detail::recurrence_number<Acc, A, B>>
requires(!std::is_const_v<Out>) void linear_recurrence(nccl::executor& ex, cuda::device_span<A> a,
                                                       cuda::device_span<B> b,
                                                       const std::type_identity_t<T>& x0,
                                                       cuda::device_span<Out> out,
                                                       const nccl::recurrence_options& options = {}) {
    const auto arguments =
        cuda::detail::checked_recurrence<T>(ex.local(), a, b, x0, out, {.reverse = options.reverse});
    std::optional<nccl::distribution> agreed;
    const nccl::distribution& elements =
        nccl::detail::distribution_of(ex, a.size(), options.elements, agreed);
    nccl::detail::scan_piece<cuda::detail::recurrence_types<T, A, B, Out>, false>(ex, arguments, elements);
}

// The same with one coefficient.
template <class Acc = deduced, class B, class Out, class T = cuda::detail::recurrence_number<Acc, B, B>>
requires(!std::is_const_v<Out>) void linear_recurrence(nccl::executor& ex, const std::type_identity_t<T>& a,
                                                       cuda::device_span<B> b,
                                                       const std::type_identity_t<T>& x0,
                                                       cuda::device_span<Out> out,
                                                       const nccl::recurrence_options& options = {}) {
    const auto arguments =
        cuda::detail::checked_smoothing<T>(ex.local(), a, b, x0, out, {.reverse = options.reverse});
    std::optional<nccl::distribution> agreed;
    const nccl::distribution& elements =
        nccl::detail::distribution_of(ex, b.size(), options.elements, agreed);
    nccl::detail::scan_piece<cuda::detail::smoothing_types<T, B, Out>, false>(ex, arguments, elements);
}

}  // namespace upsweep

// The CPU engine for linear recurrences in float and double: x[i] = a[i] x[i-1] + b[i] as the scan of the
// maps x -> a[i] x + b[i] by the tree of docs/numerics.md.
//
// Complexity: 14 n operations, 17 n on several threads, where the input is read twice, the second time from
// the cache; 13 n and 15 n where all coefficients are one. Memory: less than 50 KiB on the stack of every
// thread, along an axis 128.
#pragma once

#include <concepts>
#include <cstddef>

#include "upsweep/core/axis_geometry.hpp"
#include "upsweep/cpu/engine.hpp"
#include "upsweep/cpu/executor.hpp"
#include "upsweep/cpu/staging.hpp"

namespace upsweep::cpu {

template <class T>
inline constexpr bool has_affine_kernels = std::same_as<T, float> || std::same_as<T, double>;

// In place: out is a or b. exclusive is not supported.
template <class T>
void run_recurrence(executor& ex, const source<T>& a, const source<T>& b, T x0, const sink<T>& out,
                    const scan_shape& shape);

// Every sequence of the geometry, of which a is the first input and b the second; they and out begin at the
// first element of the first sequence and have the strides of the axis. In place: out is a or b.
template <class T>
void run_axis_recurrence(executor& ex, const source<T>& a, const source<T>& b, T x0, const sink<T>& out,
                         const core::axis_geometry& geometry, bool in_place);

extern template void run_recurrence<float>(executor&, const source<float>&, const source<float>&, float,
                                           const sink<float>&, const scan_shape&);
extern template void run_recurrence<double>(executor&, const source<double>&, const source<double>&, double,
                                            const sink<double>&, const scan_shape&);
extern template void run_axis_recurrence<float>(executor&, const source<float>&, const source<float>&, float,
                                                const sink<float>&, const core::axis_geometry&, bool);
extern template void run_axis_recurrence<double>(executor&, const source<double>&, const source<double>&,
                                                 double, const sink<double>&, const core::axis_geometry&,
                                                 bool);

}  // namespace upsweep::cpu

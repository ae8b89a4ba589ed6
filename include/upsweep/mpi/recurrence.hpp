// First-order linear recurrences over one sequence that lies on many ranks: linear_recurrence with an
// mpi::executor.
//
// Formula: x[i] = a[i] x[i-1] + b[i] from x0 on, as upsweep/recurrence.hpp, over all ranks' a and b; the scan
// of affine maps that docs/numerics.md says it is, with its bits for any number of ranks and any
// distribution. x0 is that of the first rank in scan order, `reverse` the same on every rank. Shapes, types,
// aliasing: as there, for each rank's arrays, which may be empty. Errors and complexity: as
// upsweep/mpi/scan.hpp. A rank's share goes through the engine for any operator, without vector kernels.
#pragma once

#include <cstddef>
#include <optional>
#include <ranges>
#include <type_traits>

#include "upsweep/core/accumulator.hpp"
#include "upsweep/cpu/piece.hpp"
#include "upsweep/mpi/agreement.hpp"
#include "upsweep/mpi/executor.hpp"
#include "upsweep/mpi/failure.hpp"
#include "upsweep/mpi/scan.hpp"
#include "upsweep/recurrence.hpp"

namespace upsweep {

template <class Acc = deduced, input_range A, input_range B, class Out,
          class T = core::accumulator_for<Acc,
                                          std::common_type_t<accumulator_type<std::ranges::range_value_t<A>>,
                                                             accumulator_type<std::ranges::range_value_t<B>>>,
                                          affine>>
requires output_range<Out, T>
void linear_recurrence(mpi::executor& ex, const A& a, const B& b, const std::type_identity_t<T>& x0,
                       Out&& out, const recurrence_options& options = {}) {
    using a_value = std::ranges::range_value_t<A>;
    using b_value = std::ranges::range_value_t<B>;
    using out_value = std::ranges::range_value_t<Out>;
    const std::size_t n = std::ranges::size(a);
    bool in_place = false;
    const auto refusal = mpi::refusal_of([&] { in_place = detail::check_recurrence(a, b, out); });
    const mpi::agreement all =
        mpi::agree(ex, {.count = n,
                        .operation = mpi::operation_of(mpi::collective::recurrence, sizeof(T)),
                        .reverse = options.reverse,
                        .refusal = refusal});
    if (all.position > all.last) return;

    const std::size_t first = options.reverse && n != 0 ? n - 1 : 0;
    const std::ptrdiff_t stride = options.reverse ? -1 : 1;
    const detail::recurrence_source<T, a_value, b_value> source{std::ranges::data(a) + first, stride,
                                                                std::ranges::data(b) + first, stride};
    const detail::recurrence_sink<T, out_value> sink{std::ranges::data(out) + first, stride};
    const cpu::scan_shape shape{n, false, in_place,
                                n * (sizeof(a_value) + sizeof(b_value) + sizeof(out_value))};
    const affine op;
    const cpu::generic_piece<affine_map<T>, affine, decltype(source), decltype(sink)> piece(op, source, sink,
                                                                                            shape);
    const std::optional<affine_map<T>> initial(affine_map<T>{T(0), x0});
    mpi::failure trouble(ex.rank());
    if constexpr (is_exact<affine, affine_map<T>>)
        mpi::scan_exact(ex, all, piece, initial, trouble);
    else
        mpi::scan_tree(ex, all, piece, initial, trouble);
    trouble.rethrow();
}

}  // namespace upsweep

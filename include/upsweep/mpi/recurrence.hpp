// First-order linear recurrences over one sequence that lies on many ranks: linear_recurrence with an
// mpi::executor.
//
// Formula: x[i] = a[i] x[i-1] + b[i] from x0 on, as upsweep/recurrence.hpp, over all ranks' a and b; the scan
// of affine maps that docs/numerics.md says it is, with its bits for any number of ranks and any
// distribution. x0 is that of the first rank in scan order, `reverse` the same on every rank; a may be a
// number, which serves the elements of its rank. Shapes, types, aliasing: as there, for each rank's arrays,
// which may be empty. Errors and complexity: as upsweep/mpi/scan.hpp. A rank's share goes through the engine
// for any operator, without vector kernels.
#pragma once

#include <cstddef>
#include <optional>
#include <ranges>
#include <type_traits>
#include <utility>

#include "upsweep/cpu/piece.hpp"
#include "upsweep/mpi/agreement.hpp"
#include "upsweep/mpi/executor.hpp"
#include "upsweep/mpi/failure.hpp"
#include "upsweep/mpi/scan.hpp"
#include "upsweep/recurrence.hpp"

namespace upsweep {
namespace mpi {

// The part of a rank, n elements. check() tells whether it is in place; what it throws, every rank does.
// ends(first, stride): the source and the sink, from the element that comes first in scan order on.
template <class T, class Check, class Ends>
void recur(executor& ex, std::size_t n, std::size_t element_bytes, const T& x0, bool reverse,
           const Check& check, const Ends& ends) {
    bool in_place = false;
    const auto refusal = refusal_of([&] { in_place = check(); });
    const agreement all = agree(ex, {.count = n,
                                     .operation = operation_of(collective::recurrence, sizeof(T)),
                                     .reverse = reverse,
                                     .refusal = refusal});
    if (all.position > all.last) return;

    const auto [source, sink] =
        ends(reverse && n != 0 ? n - 1 : 0, reverse ? std::ptrdiff_t(-1) : std::ptrdiff_t(1));
    const affine op;
    const cpu::scan_shape shape{n, false, in_place, n * element_bytes};
    const cpu::generic_piece<affine_map<T>, affine, std::remove_const_t<decltype(source)>,
                             std::remove_const_t<decltype(sink)>>
        piece(op, source, sink, shape);
    const std::optional<affine_map<T>> initial(affine_map<T>{T(0), x0});
    failure trouble(ex.rank());
    if constexpr (is_exact<affine, affine_map<T>>)
        scan_exact(ex, all, piece, initial, trouble);
    else
        scan_tree(ex, all, piece, initial, trouble);
    trouble.rethrow();
}

}  // namespace mpi

template <class Acc = deduced, input_range A, input_range B, class Out,
          class T =
              detail::recurrence_number<Acc, std::ranges::range_value_t<A>, std::ranges::range_value_t<B>>>
requires output_range<Out, T>
void linear_recurrence(mpi::executor& ex, const A& a, const B& b, const std::type_identity_t<T>& x0,
                       Out&& out, const recurrence_options& options = {}) {
    using a_value = std::ranges::range_value_t<A>;
    using b_value = std::ranges::range_value_t<B>;
    using out_value = std::ranges::range_value_t<Out>;
    using source = detail::recurrence_source<T, a_value, b_value>;
    using sink = detail::recurrence_sink<T, out_value>;
    mpi::recur<T>(
        ex, std::ranges::size(a), sizeof(a_value) + sizeof(b_value) + sizeof(out_value), x0, options.reverse,
        [&] { return detail::check_recurrence(a, b, out); },
        [&](std::size_t first, std::ptrdiff_t stride) {
            return std::pair(
                source{std::ranges::data(a) + first, stride, std::ranges::data(b) + first, stride},
                sink{std::ranges::data(out) + first, stride});
        });
}

// The same with one coefficient.
template <class Acc = deduced, input_range B, class Out,
          class T =
              detail::recurrence_number<Acc, std::ranges::range_value_t<B>, std::ranges::range_value_t<B>>>
requires output_range<Out, T>
void linear_recurrence(mpi::executor& ex, const std::type_identity_t<T>& a, const B& b,
                       const std::type_identity_t<T>& x0, Out&& out, const recurrence_options& options = {}) {
    using b_value = std::ranges::range_value_t<B>;
    using out_value = std::ranges::range_value_t<Out>;
    using source = detail::recurrence_source<T, T, b_value>;
    using sink = detail::recurrence_sink<T, out_value>;
    const T coefficient = a;  // which may be an element of out
    mpi::recur<T>(
        ex, std::ranges::size(b), sizeof(b_value) + sizeof(out_value), x0, options.reverse,
        [&] { return detail::check_recurrence(b, "b", out); },
        [&](std::size_t first, std::ptrdiff_t stride) {
            return std::pair(source{&coefficient, 0, std::ranges::data(b) + first, stride},
                             sink{std::ranges::data(out) + first, stride});
        });
}

}  // namespace upsweep
